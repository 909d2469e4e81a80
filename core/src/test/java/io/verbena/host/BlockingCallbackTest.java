package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Notification;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A handler processor of the application whose {@code signal} blocks an engine of a RoCE RNIC with two engines, which it must not: the
 * first engine receives the packets of all queue pairs. Queue pairs are assigned to the engines in turn.
 */
class BlockingCallbackTest {

    private final CountDownLatch blocked = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);

    /** A peer that gives up as soon as it may. */
    private final RnicOptions hasty = RnicOptions.defaults()
            .withInfiniband(it -> it.withAckTimeout(Duration.ofMillis(1)).withRetries(0, 0));

    private final RnicOptions patient = RnicOptions.defaults().withInfiniband(it -> it.withPatience(Site.PATIENCE));
    private final Rnic rnic = new RoceProvider().open(RnicOptions.defaults().withEngines(2));

    @AfterEach
    void close() {
        release.countDown();
        rnic.close();
    }

    /** Blocks the engine of a queue pair. */
    private void block(Site victim, Site other) throws IOException, InterruptedException {
        Site.connect(victim, other);
        victim.cq.handler(Optional.of(victim.rnic.setCompletionHandler(cq -> {}, (id, work) -> {
            blocked.countDown();
            awaitRelease();
        })));
        victim.cq.requestNotification(Notification.NEXT);
        victim.queuePair.postReceive(1, victim.memory, 0, 8);
        send(other);
        blocked.await();
    }

    private void awaitRelease() {
        try {
            release.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void send(Site from) {
        assertTrue(from.queuePair.postSend(2, from.memory, 0, 8, WrFlags.SIGNALLED));
    }

    private static void lost(Site far) {
        send(far);
        assertTrue(far.cq.await(Site.PATIENCE) && far.cursor.next());
        assertEquals(CompletionStatus.RETRY_EXCEEDED, far.cursor.status());
    }

    @Test
    void firstEngineBlocked_peersOfAllQueuePairsGiveUp() throws IOException, InterruptedException {
        try (Rnic peer = new RoceProvider().open(hasty)) {
            Site first = new Site(rnic);
            Site second = new Site(rnic);
            Site victim = new Site(rnic);
            Site[] far = {new Site(peer), new Site(peer)};
            Site.connect(far[0], first);
            Site.connect(far[1], second);
            block(victim, new Site(peer));
            lost(far[0]);
            lost(far[1]);
        }
    }

    @Test
    void firstEngineBlocked_peersWithPatience_continueAfterwards() throws IOException, InterruptedException {
        try (Rnic peer = new RoceProvider().open(patient)) {
            Site first = new Site(rnic);
            Site second = new Site(rnic);
            Site victim = new Site(rnic);
            Site[] near = {first, second};
            Site[] far = {new Site(peer), new Site(peer)};
            for (int i = 0; i < near.length; i++) {
                Site.connect(near[i], far[i]);
            }
            block(victim, new Site(peer));
            for (int i = 0; i < near.length; i++) {
                near[i].queuePair.postReceive(1, near[i].memory, 0, 8);
                send(far[i]);
            }
            release.countDown();
            for (int i = 0; i < near.length; i++) {
                far[i].complete(2);
                near[i].complete(1);
            }
        }
    }

    @Test
    void secondEngineBlocked_queuePairsOfTheFirstContinue() throws IOException, InterruptedException {
        try (Rnic peer = new RoceProvider().open(patient);
                Rnic other = new RoceProvider().open(hasty)) {
            Site first = new Site(rnic);
            Site victim = new Site(rnic);
            Site third = new Site(rnic);
            Site fourth = new Site(rnic);
            Site[] far = {new Site(peer), new Site(peer), new Site(other)};
            Site.connect(first, far[0]);
            Site.connect(third, far[1]);
            Site.connect(far[2], fourth);
            block(victim, new Site(peer));
            Site.exchange(first, far[0], 5_000, 1);
            Site.exchange(third, far[1], 5_000, 2);
            lost(far[2]);
        }
    }
}
