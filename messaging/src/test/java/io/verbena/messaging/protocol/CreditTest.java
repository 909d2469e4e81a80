package io.verbena.messaging.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class CreditTest {

    private static final int MAX_REQUESTS = 1000;

    private static final long HEADER = SendCredit.HEADER_BYTES;

    private final SendCredit sender = new SendCredit();
    private final ReceiveCredit receiver = new ReceiveCredit(1000, MAX_REQUESTS);

    @Test
    void noWindowYet_onlyMessagesOfNothing_go() {
        assertTrue(sender.holds(0));
        assertFalse(sender.holds(1));
    }

    @Test
    void windowUsedUp_messageStaysHere_untilAReceiveHasTakenOne() {
        sender.limits(1000, MAX_REQUESTS);
        assertTrue(sender.holds(1000));
        assertFalse(sender.holds(1001));
        sender.onSent(500);
        assertTrue(sender.holds(1000 - 500 - HEADER));
        assertFalse(sender.holds(1000 - 500 - HEADER + 1));
        assertTrue(sender.onTaken(500 + HEADER));
        assertTrue(sender.holds(1000));
    }

    @Test
    void creditForMoreThanWasSent_isImpossible() {
        sender.limits(1000, MAX_REQUESTS);
        sender.onSent(100);
        assertFalse(sender.onTaken(100 + HEADER + 1));
        assertFalse(sender.onTaken(-1));
        assertTrue(sender.onTaken(100 + HEADER));
    }

    @Test
    void olderWordBehindANewerOne_changesNothing() {
        sender.limits(1000, MAX_REQUESTS);
        sender.onSent(100);
        sender.onSent(100);
        assertTrue(sender.onTaken(2 * (100 + HEADER)));
        assertTrue(sender.onTaken(100 + HEADER));
        assertTrue(sender.holds(1000));
    }

    @Test
    void keptBeyondTheWindow_isAViolation() {
        assertTrue(receiver.onKept(1000));
        assertFalse(receiver.onKept(0));
        receiver.onKeptTaken(1000);
        assertTrue(receiver.onKept(1000));
        assertFalse(new ReceiveCredit(1000, MAX_REQUESTS).onKept(1001));
        assertEquals(1000, receiver.windowBytes());
    }

    @Test
    void halfTheWindowTaken_peerIsNotified_once() {
        receiver.onTaken(500 - HEADER - 1);
        assertFalse(receiver.reportDue());
        receiver.onTaken(1 - HEADER);
        assertTrue(receiver.reportDue());
        assertEquals(500, receiver.takenBytes());
        receiver.onReported();
        assertFalse(receiver.reportDue());
        assertFalse(new ReceiveCredit(0, MAX_REQUESTS).reportDue());
    }

    @Test
    void requests_areBoundedOnBothSides() {
        sender.limits(1000, MAX_REQUESTS);
        for (int i = 0; i < MAX_REQUESTS; i++) {
            assertTrue(sender.mayRequest());
            sender.onRequested();
            assertTrue(receiver.onRequestKept());
        }
        assertFalse(sender.mayRequest());
        assertFalse(receiver.onRequestKept());
        sender.onRequestAnswered();
        receiver.onRequestTaken();
        assertTrue(sender.mayRequest());
        assertTrue(receiver.onRequestKept());
    }

    /** Whatever is taken when, and however late the sender learns of it: it never sends what the receiver may not keep. */
    @Tag(Seeds.TAG)
    @Test
    void honestSender_randomOrder_neverBreaksThePromiseAndIsNeverStuck() {
        long seed = Seeds.one(1);
        Random random = new Random(seed);
        sender.limits(1000, MAX_REQUESTS);
        ArrayDeque<Integer> flying = new ArrayDeque<>();
        ArrayDeque<Integer> kept = new ArrayDeque<>();
        long reported = 0;
        for (int i = 0; i < 10_000; i++) {
            int length = random.nextInt(400);
            switch (random.nextInt(5)) {
                case 0 -> {
                    if (sender.holds(length)) {
                        sender.onSent(length);
                        flying.add(length);
                    }
                }
                case 1 -> {
                    if (!flying.isEmpty()) {
                        int came = flying.removeFirst();
                        if (random.nextBoolean()) {
                            receiver.onTaken(came);
                        } else {
                            assertTrue(receiver.onKept(came), "seed " + seed);
                            kept.add(came);
                        }
                    }
                }
                case 2 -> {
                    if (!kept.isEmpty()) {
                        receiver.onKeptTaken(kept.removeFirst());
                    }
                }
                case 3 -> {
                    if (receiver.reportDue()) {
                        reported = receiver.takenBytes();
                        receiver.onReported();
                    }
                }
                default -> assertTrue(sender.onTaken(reported), "seed " + seed);
            }
        }
        while (!flying.isEmpty()) {
            receiver.onTaken(flying.removeFirst());
        }
        while (!kept.isEmpty()) {
            receiver.onKeptTaken(kept.removeFirst());
        }
        assertTrue(sender.onTaken(receiver.reportDue() ? receiver.takenBytes() : reported), "seed " + seed);
        assertTrue(sender.holds(500), "seed " + seed + ": all was taken, and half the window must be free");
    }
}
