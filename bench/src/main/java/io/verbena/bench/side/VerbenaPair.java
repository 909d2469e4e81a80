package io.verbena.bench.side;

import io.verbena.bench.endpoint.Endpoint;
import io.verbena.bench.side.peer.Peer;
import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;

/** Two connected RNICs of one JVM. INLINE ones move between the threads that drive them. */
final class VerbenaPair implements AutoCloseable {

    private static final String SOCKETS = "io.verbena.sockets";

    /** Instead of a provider: shared memory with direct access, where no engine of the target takes part. */
    static final String DIRECT = "shm, direct";

    /** Smaller regions are not accessed directly. */
    private static final int LEAST_DIRECT_BYTES = 1 << 16;

    final Endpoint client;
    final Endpoint server;
    final boolean inline;

    VerbenaPair(Mode mode, int regionBytes, int depth, int queuePairs) throws IOException {
        inline = mode.progress() == Progress.INLINE;
        boolean direct = mode.provider().equals(DIRECT);
        int bytes = direct ? Math.max(LEAST_DIRECT_BYTES, regionBytes) : regionBytes;
        RnicOptions options = RnicOptions.defaults()
                .withProvider(direct ? "shm" : mode.provider())
                .withProgress(mode.progress())
                .withCrc(mode.crc())
                .withIwarp(
                        it -> it.withSocketBufferBytes(mode.socketBufferBytes()).withDirect(direct))
                .withInfiniband(it -> it.withPathMtuBytes(mode.mtuBytes()));
        if (mode.jdkSockets()) {
            System.setProperty(SOCKETS, "jdk");
        }
        try {
            server = new Endpoint(options, bytes, depth, queuePairs);
            client = new Endpoint(options, bytes, depth, queuePairs);
        } finally {
            System.clearProperty(SOCKETS);
        }
        Endpoint.connect(client, server);
    }

    /** The server's part in a thread of its own, which also drives an INLINE server. */
    Peer startServer(Peer.Work work) {
        return Peer.start(() -> {
            server.rnic.adopt();
            work.run();
        });
    }

    /**
     * How an RNIC is opened for a comparison.
     *
     * @param provider of the RNIC, or {@link #DIRECT}
     * @param mtuBytes path MTU of the provider roce; 0 for the largest
     * @param jdkSockets whether it uses the sockets of the JDK instead of direct calls
     */
    record Mode(
            String provider, Progress progress, boolean crc, int socketBufferBytes, int mtuBytes, boolean jdkSockets) {

        Mode(String provider, Progress progress, boolean crc, int socketBufferBytes) {
            this(provider, progress, crc, socketBufferBytes, 0, false);
        }

        /** Over TCP. */
        Mode(Progress progress, boolean crc, int socketBufferBytes) {
            this("iwarp", progress, crc, socketBufferBytes);
        }
    }

    @Override
    public void close() {
        server.rnic.adopt();
        client.close();
        server.close();
    }
}
