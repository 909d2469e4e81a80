package io.verbena.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.memory.Region;
import io.verbena.verbs.WorkOpcode;
import org.junit.jupiter.api.Test;

/** A responder that leaves the first FPDU unread is woken by an empty Write; others notice nothing. */
class NudgeTest {

    private static final long MS = 1_000_000;
    private static final int EMPTY_WRITE_BYTES = 20;

    @Test
    void initiatorHearsNothing_emptyWritesFollowAtGrowingDistances() {
        StreamPair p = StreamPair.plain();
        Region local = p.a.region(64);
        p.a.post(WorkOpcode.SEND, w -> w.wrId(1).addElement(local.localKey(), 0, 16));
        p.a.transmit(0, 4096);
        int sent = p.a.wire.length;
        assertFalse(p.a.stream.hasTransmitWork(2 * MS));
        long at = 0;
        for (int nudges = 1; nudges <= 5; nudges++) {
            long due = p.a.stream.nextDeadlineNs();
            assertTrue(due > at && due < 10_000 * MS, "nudge " + nudges + " is due at " + due);
            at = due;
            p.a.transmit(at, 4096);
            assertEquals(sent + nudges * EMPTY_WRITE_BYTES, p.a.wire.length);
        }
        assertEquals(Long.MAX_VALUE, p.a.stream.nextDeadlineNs());
    }

    @Test
    void peerAnswers_noNudge() {
        StreamPair p = StreamPair.plain();
        Region local = p.a.region(64);
        Region remote = p.b.region(64);
        p.b.postReceive(9, remote, 0, 64);
        p.a.post(WorkOpcode.SEND, w -> w.wrId(1).addElement(local.localKey(), 0, 16));
        p.b.post(WorkOpcode.WRITE, w -> w.wrId(2).rkey(local.rkey()).remoteAddress(local.baseAddress()));
        p.run();
        assertEquals(Long.MAX_VALUE, p.a.stream.nextDeadlineNs());
    }

    @Test
    void nudge_takesNoReceiveAndNoCompletion() {
        StreamPair p = StreamPair.plain();
        Region local = p.a.region(64);
        Region remote = p.b.region(64);
        p.b.postReceive(9, remote, 0, 64);
        p.a.post(WorkOpcode.SEND, w -> w.wrId(1).addElement(local.localKey(), 0, 16));
        p.a.transmit(0, 4096);
        p.nowNs = 8 * MS;
        p.a.transmit(p.nowNs, 4096);
        p.run();
        assertEquals("9 RECEIVE SUCCESS 16", p.b.completion());
        assertEquals("", p.b.completion());
    }
}
