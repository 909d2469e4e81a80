package io.verbena.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Notification;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Small notification scenarios in every order: a sender, a consumer that polls and requests notifications in addition
 * to its handler, and a third party that changes, removes and resizes, each step with and without engine turns before
 * the next. No wake-up is lost.
 */
class NotificationInterleavingsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long LONG_NS = 200_000;

    /**
     * S sends; p polls one entry, A requests a notification; M changes to another handler, N to none and back, R
     * removes one, Z resizes.
     */
    private static final List<List<String>> CASES = List.of(
            List.of("SS", "pA", "M"), List.of("SS", "A", "N"), List.of("SS", "A", "RM"), List.of("SS", "pA", "Z"));

    @Test
    void everyOrder_withAndWithoutTimeBetween_everyMessageIsHandled() throws IOException {
        int tried = 0;
        for (List<String> scripts : CASES) {
            List<String> orders = new ArrayList<>();
            interleave(scripts, "", orders);
            for (String order : orders) {
                for (int gaps = 0; gaps < 1 << (order.length() - 1); gaps++) {
                    new Story(order, gaps).run();
                    tried++;
                }
            }
        }
        assertTrue(tried > 1000, tried + " stories");
    }

    private static void interleave(List<String> left, String done, List<String> all) {
        boolean any = false;
        for (int i = 0; i < left.size(); i++) {
            String script = left.get(i);
            if (!script.isEmpty()) {
                any = true;
                List<String> rest = new ArrayList<>(left);
                rest.set(i, script.substring(1));
                interleave(rest, done + script.charAt(0), all);
            }
        }
        if (!any) {
            all.add(done);
        }
    }

    /** One order in a World of its own. */
    private static final class Story {
        private final String order;
        private final int gaps;
        private final World world = new World(1);
        private final List<Long> handled = new ArrayList<>();
        private final VirtualHost near = world.addHost(RnicOptions.defaults());
        private final VirtualHost far = world.addHost(RnicOptions.defaults());
        private final CompletionQueue cq = far.rnic().createCompletionQueue(16);
        private final CompletionCursor cursor = cq.cursor();
        private final CqHandlerId first = far.rnic().setCompletionHandler(this::drain);
        private final CqHandlerId second = far.rnic().setCompletionHandler(this::drain);
        private boolean removed;
        private long sent;

        Story(String order, int gaps) {
            this.order = order;
            this.gaps = gaps;
        }

        private void drain(CompletionQueue which) {
            while (cursor.next()) {
                handled.add(cursor.wrId());
            }
            which.requestNotification(Notification.NEXT);
        }

        void run() throws IOException {
            ProtectionDomain nearDomain = near.rnic().allocateProtectionDomain();
            ProtectionDomain farDomain = far.rnic().allocateProtectionDomain();
            QueuePair from =
                    nearDomain.createQueuePair(QueuePairOptions.of(near.rnic().createCompletionQueue(16)));
            QueuePair to =
                    farDomain.createQueuePair(QueuePairOptions.of(far.rnic().createCompletionQueue(16), cq));
            MemoryRegion nearMemory = nearDomain.allocate(64, AccessRight.LOCAL_WRITE);
            MemoryRegion farMemory = farDomain.allocate(64, AccessRight.LOCAL_WRITE);
            to.postReceive(1, farMemory, 0, 8);
            to.postReceive(2, farMemory, 8, 8);
            try (Listener listener = far.rnic().listen(far.address(7471))) {
                Connection opening = near.rnic().startConnect(from, far.address(7471), ConnectionOptions.defaults());
                listener.nextRequest(SECOND).orElseThrow().accept(to);
                opening.awaitEstablished(SECOND);
            }
            cq.handler(Optional.of(first));
            for (int i = 0; i < order.length(); i++) {
                step(order.charAt(i), from, nearMemory);
                if ((gaps >> i & 1) != 0) {
                    world.runFor(LONG_NS);
                }
            }
            // Every story has requested a notification and ends with a handler. Nothing is requested or assigned here:
            // that would
            // make up for a lost wake-up.
            world.runFor(20 * LONG_NS);
            String story = order + ", gaps " + Integer.toBinaryString(gaps);
            assertEquals(2, handled.size(), () -> "a wake-up was lost: " + story + ", handled " + handled);
            assertEquals(2, new HashSet<>(handled).size(), story);
            world.close();
        }

        private void step(char step, QueuePair from, MemoryRegion memory) {
            switch (step) {
                case 'S' -> assertTrue(from.postSend(++sent, memory, 0, 8, WrFlags.UNSIGNALLED));
                case 'p' -> {
                    if (cursor.next()) {
                        handled.add(cursor.wrId());
                    }
                }
                case 'A' -> cq.requestNotification(Notification.NEXT);
                case 'M' -> cq.handler(Optional.of(second));
                case 'N' -> {
                    cq.handler(Optional.empty());
                    world.runFor(1000);
                    cq.handler(Optional.of(removed ? second : first));
                }
                case 'R' -> {
                    far.rnic().removeCompletionHandler(first);
                    removed = true;
                }
                case 'Z' -> cq.resize(32);
                default -> throw new AssertionError(step);
            }
        }
    }
}
