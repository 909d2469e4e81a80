package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.port.faults.PacketFaults;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A live peer that pauses for 150 ms twice a second, as a garbage collection does, and posts receives late, over RoCE on real sockets:
 * it is never declared dead. {@code -Dverbena.pauses=120} makes it 60 s of each kind.
 */
class PausingPeerTest {

    private static final int PAUSES = Integer.getInteger("verbena.pauses", 3);
    private static final long PERIOD_NS = 500_000_000;
    private static final long PAUSE_NS = 150_000_000;
    private static final int OUTSTANDING = 8;

    /** A peer that drives its own engine, so that the engine pauses with it. */
    private static final class Peer implements Runnable {
        final AtomicReference<Listener> listener = new AtomicReference<>();
        final CountDownLatch listening = new CountDownLatch(1);
        final AtomicBoolean over = new AtomicBoolean();
        final AtomicInteger received = new AtomicInteger();
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final RnicOptions options;
        private final PacketFaults faults;

        Peer(RnicOptions options, PacketFaults faults) {
            this.options = options;
            this.faults = faults;
        }

        @Override
        public void run() {
            try (Rnic rnic = new RoceProvider().open(options, faults)) {
                serve(rnic);
            } catch (IOException | RuntimeException | AssertionError e) {
                failure.set(e);
                listening.countDown();
            }
        }

        private void serve(Rnic rnic) throws IOException {
            Site site = new Site(rnic);
            listener.set(rnic.listen(StreamProbe.loopback(0)));
            listening.countDown();
            Connection connection = listener.get()
                    .nextRequest(Site.PATIENCE)
                    .orElseThrow()
                    .startAccept(site.queuePair, ConnectionOptions.defaults());
            connection.awaitEstablished(Site.PATIENCE);
            long pauseAtNs = System.nanoTime();
            int posted = 0;
            while (!over.get()) {
                if (System.nanoTime() - pauseAtNs >= 0) {
                    LockSupport.parkNanos(PAUSE_NS);
                    pauseAtNs = System.nanoTime() + PERIOD_NS - PAUSE_NS;
                    // Receives come after the pause only: until then the peer is not ready.
                    while (posted < received.get() + OUTSTANDING) {
                        assertTrue(site.queuePair.postReceive(posted++, site.memory, 0, 64));
                    }
                }
                rnic.progress();
                while (site.cursor.next()) {
                    if (!over.get()) {
                        assertTrue(site.cursor.ok(), site.cursor::reason);
                        received.incrementAndGet();
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"0, false", "100, false", "100, true"})
    void peerPausesAndPostsLate_itIsNeverDeclaredDead(int loseOneIn, boolean selectiveRepeat) throws Exception {
        RnicOptions options = RnicOptions.defaults()
                .withProvider("roce")
                .withInfiniband(it -> it.withSelectiveRepeat(selectiveRepeat));
        PacketFaults faults = PacketFaults.none().withLoss(loseOneIn);
        Peer peer =
                new Peer(options.withProgress(Progress.INLINE).withSettings(Map.of("inline-stand-in-ms", "0")), faults);
        Thread thread = Thread.ofPlatform().start(peer);
        assertTrue(peer.listening.await(20, TimeUnit.SECONDS));
        assertEquals(null, peer.failure.get());
        try (Rnic rnic = new RoceProvider().open(options, faults)) {
            Site site = new Site(rnic);
            Connection connection =
                    rnic.connect(site.queuePair, peer.listener.get().localAddress());
            long endNs = System.nanoTime() + PAUSES * PERIOD_NS;
            int sent = 0;
            int completed = 0;
            while (System.nanoTime() - endNs < 0 || completed < sent) {
                if (System.nanoTime() - endNs < 0 && sent - completed < 2 * OUTSTANDING) {
                    assertTrue(site.queuePair.postSend(sent++, site.memory, 0, 64, WrFlags.SIGNALLED));
                    continue;
                }
                assertTrue(site.cq.await(Site.PATIENCE), () -> "no completion; " + connection.reason());
                while (site.cursor.next()) {
                    assertTrue(site.cursor.ok(), site.cursor::reason);
                    completed++;
                }
            }
            assertTrue(completed >= PAUSES * OUTSTANDING / 2, completed + " messages");
            peer.over.set(true); // before the RNIC is closed, which ends the peer's receives
        } finally {
            peer.over.set(true);
            thread.join(TimeUnit.SECONDS.toMillis(30));
        }
        assertEquals(null, peer.failure.get());
    }
}
