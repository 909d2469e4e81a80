package io.verbena.bench.side;

import io.verbena.bench.endpoint.Endpoint;
import io.verbena.bench.side.peer.Peer;
import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Two connected RNICs of one JVM. INLINE ones move between the threads that drive them. */
final class VerbenaPair implements AutoCloseable {

    private static final String SOCKETS = "io.verbena.sockets";

    /** Smaller regions are not accessed directly. */
    private static final int LEAST_DIRECT_BYTES = 1 << 16;

    /** Bytes of a packet that a capture keeps: its headers. */
    private static final String CAPTURE_SNAP = "128";

    final Endpoint client;
    final Endpoint server;
    final boolean inline;

    private final Optional<Path> capture;

    VerbenaPair(Mode mode, int regionBytes, int depth, int queuePairs) throws IOException {
        inline = mode.progress() == Progress.INLINE;
        int bytes = mode.has(Trait.DIRECT) ? Math.max(LEAST_DIRECT_BYTES, regionBytes) : regionBytes;
        capture = mode.has(Trait.CAPTURE)
                ? Optional.of(Files.createTempFile("verbena-capture", ".pcapng"))
                : Optional.empty();
        RnicOptions options = RnicOptions.defaults()
                .withProvider(mode.provider())
                .withProgress(mode.progress())
                .withCrc(mode.has(Trait.CRC))
                .withIwarp(
                        it -> it.withSocketBufferBytes(mode.socketBufferBytes()).withDirect(mode.has(Trait.DIRECT)))
                .withInfiniband(it -> it.withPathMtuBytes(mode.mtuBytes()));
        if (mode.has(Trait.JDK_SOCKETS)) {
            System.setProperty(SOCKETS, "jdk");
        }
        try {
            server = new Endpoint(options, bytes, depth, queuePairs);
            client = new Endpoint(
                    capture.map(file -> capturing(options, file)).orElse(options), bytes, depth, queuePairs);
        } finally {
            System.clearProperty(SOCKETS);
        }
        Endpoint.connect(client, server);
    }

    private static RnicOptions capturing(RnicOptions options, Path file) {
        return options.withCaptureFile(file.toString()).withSettings(Map.of("capture-snap", CAPTURE_SNAP));
    }

    /** The server's part in a thread of its own, which also drives an INLINE server. */
    Peer startServer(Peer.Work work) {
        return Peer.start(() -> {
            server.rnic.adopt();
            work.run();
        });
    }

    /**
     * A run of the calling thread begins. Between runs an INLINE client belongs to a thread that has ended, because
     * each poll of a thread drives all its RNICs: those of other contestants would make it slower.
     */
    void begin() {
        client.rnic.adopt();
    }

    /** A run has ended. */
    void rest() throws InterruptedException {
        if (inline) {
            Peer.start(client.rnic::adopt).join();
        }
    }

    /** What is special about an RNIC of a comparison. */
    enum Trait {
        /** iWARP with CRC. */
        CRC,
        /** Shared memory in which the engine of the target takes no part. */
        DIRECT,
        /** The sockets of the JDK instead of direct calls. */
        JDK_SOCKETS,
        /** The client captures its traffic, the headers only. */
        CAPTURE
    }

    /**
     * How an RNIC is opened for a comparison.
     *
     * @param mtuBytes path MTU of the provider roce; 0 for the largest
     */
    record Mode(String provider, Progress progress, int socketBufferBytes, int mtuBytes, Set<Trait> traits) {

        Mode(String provider, Progress progress, int socketBufferBytes, Trait... traits) {
            this(provider, progress, socketBufferBytes, 0, Set.of(traits));
        }

        /** Over TCP. */
        Mode(Progress progress, int socketBufferBytes, Trait... traits) {
            this("iwarp", progress, socketBufferBytes, traits);
        }

        boolean has(Trait trait) {
            return traits.contains(trait);
        }
    }

    @Override
    public void close() {
        server.rnic.adopt();
        client.rnic.adopt();
        client.close();
        server.close();
        capture.map(Path::toFile).ifPresent(File::delete);
    }
}
