package io.verbena.host;

import io.verbena.fixture.StreamEnd;
import io.verbena.port.StreamLoop;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** An end of a connection that does not allocate: eight bytes per message, echoed or counted. */
final class EchoEnd extends StreamEnd {

    private final boolean echo;
    private final ByteBuffer in = ByteBuffer.allocateDirect(4096);
    private final ByteBuffer out = ByteBuffer.allocateDirect(8);
    private final long inAddress = MemorySegment.ofBuffer(in).address();
    private final long outAddress = MemorySegment.ofBuffer(out).address();
    private long received;

    EchoEnd(StreamLoop loop, boolean echo) {
        super(loop);
        this.echo = echo;
    }

    long received() {
        return received;
    }

    void send() {
        try {
            stream().write(out.clear(), outAddress);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void onReadable() {
        try {
            int count;
            while ((count = stream().read(in.clear(), inAddress)) > 0) {
                received += count;
                if (echo) {
                    stream().write(in.flip(), inAddress);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void onWritable() {}
}
