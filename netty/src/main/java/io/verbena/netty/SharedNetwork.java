package io.verbena.netty;

import io.verbena.sockets.stream.StreamNetwork;
import io.verbena.sockets.stream.StreamOptions;
import io.verbena.sockets.stream.StreamSocket;
import io.verbena.verbs.RnicOptions;
import java.time.Duration;
import java.util.Optional;

/** The network of all handlers for which the program has none. */
final class SharedNetwork {

    /** Maximum time for which the end of the JVM waits for bytes of closed channels to be sent. */
    private static final Duration FLUSH_TIMEOUT = Duration.ofSeconds(5);

    private static Optional<StreamNetwork> opened = Optional.empty();

    private SharedNetwork() {}

    static synchronized StreamNetwork open() {
        if (opened.isEmpty()) {
            StreamNetwork network = StreamNetwork.open(RnicOptions.defaults(), StreamOptions.defaults());
            opened = Optional.of(network);
            try {
                Runtime.getRuntime()
                        .addShutdownHook(
                                Thread.ofPlatform().name("verbena-netty-flush").unstarted(() -> flush(network)));
            } catch (IllegalStateException _) {
                return network; // the JVM is ending, and waits for nothing that begins now
            }
        }
        return opened.get();
    }

    /** What the program has written is sent, as the kernel does for TCP. */
    private static void flush(StreamNetwork network) {
        network.sockets().forEach(StreamSocket::close);
        network.awaitEmpty(FLUSH_TIMEOUT);
    }
}
