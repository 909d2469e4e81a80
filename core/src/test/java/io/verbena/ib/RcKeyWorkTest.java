package io.verbena.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.memory.EngineEpoch;
import io.verbena.memory.Region;
import io.verbena.memory.Verdict;
import io.verbena.queue.ReceiveQueue;
import io.verbena.queue.WorkQueues;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.work.Grant;
import io.verbena.work.QueuePairContext;
import io.verbena.work.RemoteAccess;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Work on keys while a second engine is inside a turn. An operation stays incomplete until that turn ends, and must not
 * complete another operation of the same queue pair: local work, the Read with Invalidate and the peer's Send with
 * Invalidate are three.
 */
class RcKeyWorkTest {

    private static final int P = 100;

    private final EngineEpoch own = new EngineEpoch();
    private final EngineEpoch other = new EngineEpoch();
    private final RcPair.End b = new RcPair.End(RcPair.settings(RcPair.B_QP, RcPair.A_QP, 900, P), true, own, other);
    private final Region local = b.region(64);
    private final Region first = b.region(64);
    private final Region second = b.region(64);
    private long nowNs = 5;

    private List<String> turn() {
        b.transmit(nowNs);
        List<String> lines =
                b.wireText().stream().map(line -> line.replace("RC_", "")).toList();
        b.wire.clear();
        return lines;
    }

    private void invalidateLocally(long id, Region region) {
        b.post(WorkOpcode.LOCAL_INVALIDATE, WrFlags.SIGNALLED, w -> w.wrId(id).rkey(region.rkey()));
    }

    private List<String> sendWithInvalidate(int psn, int key) {
        b.receive(
                Crafted.packet(IbOpcode.RC_SEND_ONLY_INVALIDATE, psn, 4, p -> {
                    p.bth().a(true);
                    p.ieth().rKey(key);
                }),
                nowNs);
        return turn();
    }

    private boolean valid(int key, Region region) {
        QueuePairContext context = new QueuePairContext(
                new WorkQueues(RcPair.B_QP, false, b.send, new ReceiveQueue(b.receive), b.ring, b.ring),
                b.regions,
                1,
                0);
        return new RemoteAccess(context)
                        .check(
                                key,
                                RemoteAccess.NO_MESSAGE,
                                region.baseAddress(),
                                1,
                                AccessRight.REMOTE_READ,
                                new Grant())
                == Verdict.OK;
    }

    @Test
    void localInvalidationPending_peersSendWithInvalidate_invalidatesItsOwnKey() {
        b.postReceive(1, local, 64);
        int firstKey = first.rkey();
        int secondKey = second.rkey();
        other.enter();
        invalidateLocally(7, first);
        assertEquals(List.of(), turn());
        assertEquals(List.of("ACKNOWLEDGE psn=100 RNR NAK 0.64 ms msn=0"), sendWithInvalidate(P, secondKey));
        other.leave();
        assertEquals(List.of("ACKNOWLEDGE psn=100 ACK msn=1"), sendWithInvalidate(P, secondKey));
        assertEquals(List.of("1 RECEIVE SUCCESS 4 invalidated"), b.completions());
        assertFalse(valid(secondKey, second), "the key that the completion reports is invalid");
        b.engine.resume();
        turn();
        assertEquals(List.of("7 LOCAL_INVALIDATE SUCCESS 0"), b.completions());
        assertFalse(valid(firstKey, first));
    }

    @Test
    void peersInvalidationPending_localInvalidation_invalidatesItsOwnKey() {
        b.postReceive(1, local, 64);
        int firstKey = first.rkey();
        other.enter();
        sendWithInvalidate(P, second.rkey());
        other.leave();
        invalidateLocally(7, first);
        turn();
        assertEquals(List.of("7 LOCAL_INVALIDATE SUCCESS 0"), b.completions());
        assertFalse(valid(firstKey, first));
    }

    @Test
    void peersInvalidationPending_repeatNamesAnotherKey_thatKeyIsInvalidWhenReported() {
        b.postReceive(1, local, 64);
        int secondKey = second.rkey();
        other.enter();
        sendWithInvalidate(P, first.rkey());
        other.leave();
        assertEquals(List.of("ACKNOWLEDGE psn=100 ACK msn=1"), sendWithInvalidate(P, secondKey));
        assertEquals(List.of("1 RECEIVE SUCCESS 4 invalidated"), b.completions());
        assertFalse(valid(secondKey, second));
    }

    private void readWithInvalidate(long id, Region into, int key) {
        b.post(
                WorkOpcode.READ_WITH_INVALIDATE,
                WrFlags.SIGNALLED,
                w -> w.wrId(id).remoteAddress(0x1000).rkey(0x55).otherKey(key).addElement(into.localKey(), 0, 4));
    }

    @Test
    void readWithInvalidate_otherEngineInTurn_completesAfterResume() {
        int key = first.rkey();
        readWithInvalidate(3, local, key);
        turn();
        other.enter();
        b.receive(Crafted.response(IbOpcode.RC_READ_RESPONSE_ONLY, 900, 4), nowNs);
        assertEquals(List.of(), b.completions());
        assertTrue(b.engine.suspended(), "the engine is asked again only if the queue pair is suspended");
        other.leave();
        b.engine.resume();
        assertEquals(List.of("3 READ SUCCESS 4"), b.completions());
        assertFalse(b.engine.suspended());
        assertFalse(valid(key, first));
    }

    @Test
    void readWithInvalidatePending_laterLocalInvalidation_bothKeysAreInvalid() {
        int firstKey = first.rkey();
        int secondKey = second.rkey();
        readWithInvalidate(3, local, firstKey);
        invalidateLocally(4, second);
        turn();
        other.enter();
        b.receive(Crafted.response(IbOpcode.RC_READ_RESPONSE_ONLY, 900, 4), nowNs);
        turn();
        other.leave();
        b.engine.resume();
        turn();
        assertEquals(List.of("3 READ SUCCESS 4", "4 LOCAL_INVALIDATE SUCCESS 0"), b.completions());
        assertFalse(valid(firstKey, first));
        assertFalse(valid(secondKey, second));
    }

    @Test
    void readWithInvalidate_completionQueueFull_completesLaterWithoutFailure() {
        for (int i = 0; i < 256; i++) {
            b.post(WorkOpcode.DELAY, WrFlags.SIGNALLED, w -> w.wrId(0).operand1(0));
            turn();
        }
        readWithInvalidate(3, local, first.rkey());
        turn();
        b.receive(Crafted.response(IbOpcode.RC_READ_RESPONSE_ONLY, 900, 4), nowNs);
        turn();
        assertEquals(256, b.completions().size());
        b.engine.resume();
        turn();
        assertTrue(b.engine.failure().isEmpty(), () -> "failed: " + b.engine.failure());
        assertEquals(List.of("3 READ SUCCESS 4"), b.completions());
    }
}
