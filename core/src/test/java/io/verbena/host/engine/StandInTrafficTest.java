package io.verbena.host.engine;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.host.IwarpProvider;
import io.verbena.host.Site;
import io.verbena.host.StreamProbe;
import io.verbena.host.Until;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections of an INLINE RNIC that its owner does not drive. */
class StandInTrafficTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    private final ExecutorService owner = Executors.newSingleThreadExecutor();
    private final List<Runnable> closing = new ArrayList<>();

    @AfterEach
    void close() {
        closing.forEach(Runnable::run);
        owner.shutdownNow();
    }

    private Rnic rnic(RnicOptions options) {
        Rnic rnic = new IwarpProvider().open(options);
        closing.add(rnic::close);
        return rnic;
    }

    private static RnicOptions inline(int periodMs) {
        return RnicOptions.defaults()
                .withProgress(Progress.INLINE)
                .withSettings(Map.of(StandIn.SETTING, String.valueOf(periodMs)));
    }

    @Test
    void ownerComputes_peerReadsItsMemory_andItsPostsLeave() throws Exception {
        Rnic near = rnic(RnicOptions.defaults());
        Site local = new Site(near);
        CountDownLatch computing = new CountDownLatch(1);
        AtomicReference<Site> remote = new AtomicReference<>();
        try (var listener = near.listen(StreamProbe.loopback(0))) {
            Future<?> owned = owner.submit(() -> {
                Rnic inline = new IwarpProvider().open(inline(5));
                Site far = new Site(inline);
                far.fill(0, 1000, 3);
                var opening =
                        far.rnic.startConnect(far.queuePair, listener.localAddress(), ConnectionOptions.defaults());
                opening.awaitEstablished(LONG);
                remote.set(far);
                assertTrue(computing.await(60, TimeUnit.SECONDS)); // it does not drive its RNIC
                opening.close();
                inline.close();
                return "";
            });
            var request = listener.nextRequest(LONG).orElseThrow();
            var accepted = request.startAccept(local.queuePair, ConnectionOptions.defaults());
            accepted.awaitEstablished(LONG);
            Until.holds("the owner computes", () -> remote.get() != null);
            for (int i = 0; i < 20; i++) {
                assertTrue(local.queuePair.postRead(
                        i, local.memory, 0, 1000, remote.get().memory.remote(), 0, WrFlags.SIGNALLED));
                local.complete(i);
            }
            local.expect(0, 1000, 3);
            assertEquals(ConnectionState.ESTABLISHED, accepted.state());
            computing.countDown();
            owned.get(60, TimeUnit.SECONDS);
        }
    }

    /** Posts race with turns of the stand-in: no message is lost or duplicated. */
    @Test
    void ownerPausesAsLongAsThePeriod_messagesGoBackAndForth() throws IOException {
        Rnic near = rnic(inline(1));
        Rnic far = rnic(RnicOptions.defaults());
        Site local = new Site(near);
        Site remote = new Site(far);
        Site.connect(local, remote);
        Random random = new Random(1);
        for (int i = 0; i < 300; i++) {
            assertTrue(remote.queuePair.postReceive(1, remote.memory, 0, 64));
            assertTrue(local.queuePair.postReceive(2, local.memory, 0, 64));
            LockSupport.parkNanos(500_000 + random.nextInt(1_500_000));
            assertTrue(local.queuePair.postSend(3, local.memory, 64, 64, WrFlags.SIGNALLED));
            remote.complete(1);
            assertTrue(remote.queuePair.postSend(4, remote.memory, 64, 64, WrFlags.SIGNALLED));
            remote.complete(4);
            local.complete(3);
            local.complete(2);
        }
    }

    /** As an adapter of hardware: a thread may set up an RNIC, hand its objects over and end. */
    @ParameterizedTest
    @ValueSource(strings = {"roce", "iwarp"})
    void ownerEnds_peerIsStillAnswered_andAnotherThreadContinues(String provider) throws Exception {
        Site near = new Site(Rnic.open(RnicOptions.defaults().withProvider(provider)));
        closing.add(near.rnic::close);
        AtomicReference<Site> created = new AtomicReference<>();
        Thread first = Thread.ofPlatform().start(() -> {
            Site site = new Site(Rnic.open(inline(5).withProvider(provider)));
            created.set(site);
            site.fill(0, 1000, 3);
            assertDoesNotThrow(() -> Site.connect(near, site));
        });
        first.join();
        Site far = created.get();
        for (int i = 0; i < 20; i++) {
            assertTrue(near.queuePair.postRead(i, near.memory, 0, 1000, far.memory.remote(), 0, WrFlags.SIGNALLED));
            near.complete(i);
        }
        near.expect(0, 1000, 3);
        far.rnic.adopt();
        Site.exchange(far, near, 5000, 8);
        far.rnic.close();
    }
}
