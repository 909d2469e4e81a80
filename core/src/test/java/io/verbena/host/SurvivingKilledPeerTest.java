package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.RnicProvider;
import io.verbena.verbs.SurvivalOptions;
import io.verbena.verbs.WrFlags;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The process of the peer of a connection that survives its transport is killed by signal 9: work fails with a reason
 * long before the patience is over.
 */
class SurvivingKilledPeerTest {

    /** Longer than the test waits. */
    private static final Duration PATIENCE = Duration.ofHours(1);

    private static final ConnectionOptions OPTIONS = ConnectionOptions.defaults()
            .withSurvival(SurvivalOptions.over().withPatience(PATIENCE).withExitPatience(Duration.ofMillis(500)));

    /** The peer: connects or listens, reports it, and waits to be killed. */
    static final class Victim {

        private Victim() {}

        public static void main(String[] arguments) throws IOException {
            try (Rnic rnic = RnicProvider.named(arguments[0]).open(RnicOptions.defaults());
                    Listener listener = rnic.listen(StreamProbe.loopback(0))) {
                Site site = new Site(rnic);
                if (arguments.length > 1) {
                    rnic.startConnect(site.queuePair, StreamProbe.loopback(Integer.parseInt(arguments[1])), OPTIONS)
                            .awaitEstablished(Site.PATIENCE);
                } else {
                    System.out.println(((InetSocketAddress) listener.localAddress()).getPort());
                    listener.nextRequest(Site.PATIENCE)
                            .orElseThrow()
                            .startAccept(site.queuePair, OPTIONS)
                            .awaitEstablished(Site.PATIENCE);
                }
                System.out.println("connected");
                int _ = System.in.read();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"iwarp, true", "iwarp, false", "shm, true", "shm, false", "roce+iwarp, true", "roce+iwarp, false"})
    void killed_workFailsInTime_withAReason(String provider, boolean victimConnects) throws Exception {
        try (Rnic rnic = RnicProvider.named(provider).open(RnicOptions.defaults());
                Listener listener = rnic.listen(StreamProbe.loopback(0))) {
            Site site = new Site(rnic);
            site.queuePair.postReceive(1, site.memory, 0, 8);
            Process victim = victimConnects
                    ? OtherJvm.start(Victim.class, provider, ((InetSocketAddress) listener.localAddress()).getPort())
                    : OtherJvm.start(Victim.class, provider);
            try {
                BufferedReader lines = victim.inputReader();
                Connection connection = victimConnects
                        ? listener.nextRequest(Site.PATIENCE).orElseThrow().startAccept(site.queuePair, OPTIONS)
                        : rnic.startConnect(
                                site.queuePair, StreamProbe.loopback(Integer.parseInt(line(lines))), OPTIONS);
                connection.awaitEstablished(Site.PATIENCE);
                assertEquals("connected", line(lines));
                assertTrue(connection.survives());
                // An answer: both sides have sent frames.
                site.queuePair.postRead(2, site.memory, 0, 0, 0, 0, WrFlags.SIGNALLED);
                site.complete(2);
                victim.destroyForcibly();
                assertTrue(connection.awaitClosed(Site.PATIENCE), connection::toString);
                assertEquals(ConnectionState.FAILED, connection.state());
                String reason = connection.reason();
                assertTrue(
                        reason.contains(
                                provider.equals("shm")
                                        ? "the peer's process ended"
                                        : "process of the peer has probably ended"),
                        reason);
                assertTrue(site.cursor.next() || site.cq.await(Site.PATIENCE) && site.cursor.next());
                assertEquals(1, site.cursor.wrId());
                assertEquals(CompletionStatus.FLUSHED, site.cursor.status());
            } finally {
                assertTrue(victim.destroyForcibly().waitFor(20, TimeUnit.SECONDS));
            }
        }
    }

    private static String line(BufferedReader lines) throws IOException {
        String line = lines.readLine();
        assertNotNull(line, "the other process ended");
        return line;
    }
}
