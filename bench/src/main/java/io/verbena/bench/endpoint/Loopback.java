package io.verbena.bench.endpoint;

import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.foreign.ValueLayout;

/** Two connected ends of this process, both INLINE: the thread that measures does all the work. */
public final class Loopback implements AutoCloseable {

    private static final WrFlags INLINE = WrFlags.UNSIGNALLED.withInline();
    private static final int REGION_BYTES = 1 << 16;
    private static final int DEPTH = 128;

    public final Endpoint a;
    public final Endpoint b;

    /** The address of the region of {@code b}. */
    public final long address;

    /** The key of the region of {@code b}. */
    public final int key;

    private long written;

    /** Opens and connects both ends. */
    public Loopback(String provider, boolean crc, boolean direct) throws IOException {
        RnicOptions options = RnicOptions.defaults()
                .withProvider(provider)
                .withProgress(Progress.INLINE)
                .withCrc(crc)
                .withIwarp(iwarp -> iwarp.withDirect(direct));
        a = new Endpoint(options, REGION_BYTES, DEPTH);
        b = new Endpoint(options, REGION_BYTES, DEPTH);
        Endpoint.connect(a, b);
        address = b.region.address();
        key = b.region.rkey();
    }

    /** An inline Write of 8 bytes without a completion, until the program of the peer sees it. */
    public void writeUntilSeen() {
        a.region.segment().set(ValueLayout.JAVA_LONG, 0, ++written);
        a.queuePair.postWrite(1, a.region, 0, Long.BYTES, address, key, INLINE);
        while (b.region.segment().get(ValueLayout.JAVA_LONG, 0) != written) {
            b.rnic.progress();
        }
    }

    @Override
    public void close() {
        a.close();
        b.close();
    }
}
