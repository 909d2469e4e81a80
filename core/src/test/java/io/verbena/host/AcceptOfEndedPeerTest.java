package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.host.system.Machine;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.RnicProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A side that accepts the request of a peer that ends at once, on every transport. It gets a connection that was established and has
 * ended, or an exception whose sentence says that the connection was not established and why.
 */
class AcceptOfEndedPeerTest {

    private static final Map<String, Supplier<RnicProvider>> PROVIDERS =
            Map.of("iwarp", IwarpProvider::new, "shm", SharedMemoryProvider::new, "roce", RoceProvider::new);

    private static final ConnectionOptions OPTIONS =
            ConnectionOptions.defaults().withTimeout(Duration.ofSeconds(3));

    private static final int ROUNDS = 8;

    /** How the peer ends. */
    enum End {
        CLOSES_THE_CONNECTION,
        STARTS_TO_CLOSE_THE_CONNECTION,
        CLOSES_THE_QUEUE_PAIR,
        CLOSES_THE_RNIC
    }

    static Stream<Arguments> table() {
        return PROVIDERS.keySet().stream()
                .sorted()
                .flatMap(provider -> Stream.of(End.values())
                        .flatMap(end -> Stream.of(true, false).map(waits -> Arguments.of(provider, end, waits))));
    }

    private static Rnic open(String provider) {
        return Objects.requireNonNull(PROVIDERS.get(provider)).get().open(RnicOptions.defaults());
    }

    @ParameterizedTest
    @MethodSource("table")
    void peerEndsAtOnce_acceptReturnsAConnectionThatHasEnded_orSaysThatItWasNotEstablished(
            String provider, End end, boolean waitsUntilEstablished) throws Exception {
        try (Rnic rnic = open(provider)) {
            for (int i = 0; i < ROUNDS; i++) {
                try (Listener listener = rnic.listen(StreamProbe.loopback(0))) {
                    SocketAddress to = listener.localAddress();
                    CompletableFuture<Void> peer =
                            CompletableFuture.runAsync(() -> connectAndEnd(provider, end, waitsUntilEstablished, to));
                    Optional<ConnectionRequest> request =
                            listener.nextRequest(waitsUntilEstablished ? Site.PATIENCE : Duration.ofMillis(100));
                    if (request.isPresent()) {
                        accepted(new Site(rnic), request.get());
                    } else {
                        assertFalse(waitsUntilEstablished);
                    }
                    peer.join();
                }
            }
        }
    }

    private static void connectAndEnd(String provider, End end, boolean waits, SocketAddress to) {
        try (Rnic rnic = open(provider)) {
            Site site = new Site(rnic);
            Connection connection = rnic.startConnect(site.queuePair, to, OPTIONS);
            if (waits) {
                connection.awaitEstablished(Site.PATIENCE);
            }
            switch (end) {
                case CLOSES_THE_CONNECTION -> connection.close();
                case STARTS_TO_CLOSE_THE_CONNECTION -> connection.disconnect();
                case CLOSES_THE_QUEUE_PAIR -> site.queuePair.close();
                case CLOSES_THE_RNIC -> rnic.close();
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void assertSaysWhy(ConnectionException e) {
        String sentence = String.valueOf(e.getMessage());
        boolean says = Stream.of(
                        "was not established",
                        "could not be set up",
                        "withdrew its request",
                        "did not answer",
                        "has ended")
                .anyMatch(sentence::contains);
        assertTrue(says, sentence);
    }

    private static void accepted(Site site, ConnectionRequest request) throws IOException {
        try {
            Connection connection = request.accept(site.queuePair, OPTIONS);
            assertTrue(connection.awaitClosed(Site.PATIENCE), connection::toString);
        } catch (ConnectionException e) {
            assertSaysWhy(e);
        }
        site.queuePair.close();
    }

    /** The peer: connects, and is killed. */
    static final class Victim {

        private Victim() {}

        public static void main(String[] arguments) throws Exception {
            Rnic rnic = open(arguments[0]);
            Site site = new Site(rnic);
            SocketAddress to = new InetSocketAddress(arguments[3], Integer.parseInt(arguments[1]));
            Connection connection = rnic.startConnect(site.queuePair, to, OPTIONS);
            if (Boolean.parseBoolean(arguments[2])) {
                connection.awaitEstablished(Site.PATIENCE);
            }
            Signals.killThisProcess();
        }
    }

    static Stream<Arguments> deaths() {
        return PROVIDERS.keySet().stream()
                .sorted()
                .flatMap(provider -> Stream.of(true, false).map(waits -> Arguments.of(provider, waits)));
    }

    @ParameterizedTest
    @MethodSource("deaths")
    void peerDiesAtOnce_acceptReturnsAConnectionThatHasEnded_orSaysThatItWasNotEstablished(
            String provider, boolean waitsUntilEstablished) throws Exception {
        assumeTrue(Machine.obstacleToLinux().isEmpty());
        try (Rnic rnic = open(provider);
                Listener listener = rnic.listen(StreamProbe.loopback(0))) {
            // Over RoCE the RNIC has the first loopback address that no other program has.
            InetSocketAddress at = (InetSocketAddress) listener.localAddress();
            Process victim = OtherJvm.start(
                    Victim.class,
                    provider,
                    at.getPort(),
                    waitsUntilEstablished,
                    at.getAddress().getHostAddress());
            Optional<ConnectionRequest> request = Optional.empty();
            while (request.isEmpty() && victim.isAlive()) {
                request = listener.nextRequest(Duration.ofMillis(20));
            }
            if (request.isPresent()) {
                Site site = new Site(rnic);
                Connection connection = request.get().startAccept(site.queuePair, OPTIONS);
                try {
                    connection.awaitEstablished(Site.PATIENCE);
                } catch (ConnectionException e) {
                    assertSaysWhy(e);
                }
                victim.waitFor();
                if (!provider.equals("roce")) {
                    assertTrue(connection.awaitClosed(Site.PATIENCE), connection::toString);
                }
            } else {
                assertFalse(waitsUntilEstablished);
            }
        }
    }
}
