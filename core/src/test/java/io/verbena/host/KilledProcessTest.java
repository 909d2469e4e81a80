package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.RnicProvider;
import io.verbena.verbs.WrFlags;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A quiet peer in another process: a kill is reported as the death of the peer, a close as a graceful close. */
class KilledProcessTest {

    /** The other process: connects or listens, reports it, and waits for a line: then it closes gracefully. */
    static final class Other {

        private Other() {}

        public static void main(String[] arguments) throws IOException {
            try (Rnic rnic = RnicProvider.named(arguments[0]).open(RnicOptions.defaults())) {
                Site site = new Site(rnic);
                site.queuePair.postReceive(1, site.memory, 0, 8);
                if (arguments.length > 1) {
                    rnic.connect(site.queuePair, new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[1])));
                } else {
                    try (Listener listener = rnic.listen(StreamProbe.loopback(0))) {
                        System.out.println(((InetSocketAddress) listener.localAddress()).getPort());
                        listener.nextRequest(Site.PATIENCE).orElseThrow().accept(site.queuePair);
                    }
                }
                System.out.println("connected");
                int _ = System.in.read();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "iwarp, true, true",
        "iwarp, true, false",
        "iwarp, false, true",
        "iwarp, false, false",
        "shm, true, true",
        "shm, false, true"
    })
    void quietPeer_killedOrClosed_isReported(String provider, boolean killed, boolean otherConnects) throws Exception {
        try (Rnic rnic = RnicProvider.named(provider).open(RnicOptions.defaults())) {
            Site site = new Site(rnic);
            site.queuePair.postReceive(1, site.memory, 0, 8);
            Process other;
            Connection connection;
            if (otherConnects) {
                try (Listener listener = rnic.listen(StreamProbe.loopback(0))) {
                    other = OtherJvm.start(
                            Other.class,
                            provider,
                            String.valueOf(((InetSocketAddress) listener.localAddress()).getPort()));
                    ConnectionRequest request =
                            listener.nextRequest(Site.PATIENCE).orElseThrow();
                    connection = request.startAccept(site.queuePair, ConnectionOptions.defaults());
                    connection.awaitEstablished(Site.PATIENCE);
                }
                awaitLine(other.inputReader());
            } else {
                other = OtherJvm.start(Other.class, provider);
                BufferedReader lines = other.inputReader();
                connection = rnic.connect(
                        site.queuePair, new InetSocketAddress("127.0.0.1", Integer.parseInt(awaitLine(lines))));
                awaitLine(lines);
                // A responder sends its greeting after it has read the first FPDU. One that dies earlier is
                // indistinguishable from another implementation.
                site.queuePair.postRead(2, site.memory, 0, 0, 0, 0, WrFlags.SIGNALLED);
                assertTrue(site.cq.take(Site.PATIENCE).ok(), "an empty Read is answered, and the greeting came before");
            }
            try {
                if (killed) {
                    other.destroyForcibly();
                } else {
                    other.outputWriter().append('\n').flush();
                }
                assertTrue(connection.awaitClosed(Site.PATIENCE));
                assertEquals(killed ? ConnectionState.FAILED : ConnectionState.CLOSED, connection.state());
                // Bytes that the killed process had not read make its system send a reset.
                String reason = connection.reason();
                assertTrue(
                        killed
                                ? reason.contains("ended without a farewell") || reason.contains("reset")
                                : reason.contains("gracefully"),
                        reason);
                assertTrue(site.cursor.next() || site.cq.await(Site.PATIENCE) && site.cursor.next());
                assertEquals(CompletionStatus.FLUSHED, site.cursor.status());
            } finally {
                other.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
            }
        }
    }

    private static String awaitLine(BufferedReader lines) throws IOException {
        String line = lines.readLine();
        assertNotNull(line, "the other process ended");
        return line;
    }
}
