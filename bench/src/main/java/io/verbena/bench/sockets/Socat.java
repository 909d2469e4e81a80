package io.verbena.bench.sockets;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A proxy from TCP to TCP by socat, with buffers of the size of ours. */
final class Socat implements AutoCloseable {

    private static final String LISTENING = "listening on";

    private final Process process;
    private final int port;

    /** Starts it for a target on this host. */
    Socat(int target) throws IOException {
        port = freePort();
        String listen = "TCP4-LISTEN:" + port + ",bind=127.0.0.1,fork";
        process = new ProcessBuilder(List.of("socat", "-d", "-d", "-b", "65536", listen, "TCP4:127.0.0.1:" + target))
                .start();
        awaitListening();
        Thread.ofVirtual().start(this::drain);
    }

    private static int freePort() throws IOException {
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return any.getLocalPort();
        }
    }

    private void awaitListening() throws IOException {
        BufferedReader words = process.errorReader(StandardCharsets.US_ASCII);
        String line = words.readLine();
        while (line != null && !line.contains(LISTENING)) {
            line = words.readLine();
        }
        if (line == null) {
            throw new IOException("socat has ended before it listened.");
        }
    }

    /** Its words must not fill the pipe. */
    private void drain() {
        try {
            process.errorReader(StandardCharsets.US_ASCII).lines().forEach(_ -> {});
        } catch (UncheckedIOException _) {
            // it was ended
        }
    }

    int port() {
        return port;
    }

    @Override
    public void close() {
        process.destroy();
    }
}
