package io.verbena.messaging.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.policy.EnlargementPolicy;
import io.verbena.messaging.policy.Phase;
import io.verbena.messaging.protocol.SendSide.Overdue;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The sender's machine as scripts with explicit time. Acknowledgement time-out 100 ns, patience 10,000, tail bound 50. */
class SendSideTest {

    private static final EnlargementPolicy POLICY = EnlargementPolicy.of(
                    Phase.of(100), Phase.withTolerance(1000, 90), Phase.of(5000))
            .withRefusalPause(Duration.ofNanos(400));

    private SendSide side = new SendSide(POLICY, 100, 10_000, 50, 0);

    private static Acknowledgement ack(int request, int payload, int slots, RefusalReason refusal) {
        return new Acknowledgement(
                request,
                payload,
                slots,
                refusal,
                new Acknowledgement.Ring(0, (long) slots * SlotLayout.strideBytes(payload), 0, 0));
    }

    private void settle(int payload, int slots, long nowNs) {
        side.onHead(nowNs);
        assertTrue(side.onAcknowledgement(ack(side.request(), payload, slots, RefusalReason.NONE), nowNs));
        side.onProvisioned(payload, slots, RefusalReason.NONE, nowNs);
    }

    @Test
    void requested_first_awaitsWhateverThePeerStartsWith() {
        assertEquals(SenderState.REQUESTED, side.state());
        assertEquals(1, side.request());
        assertEquals(0, side.payloadBytes());
        assertEquals(0, side.requestedPayloadBytes());
        assertEquals(Offer.AWAIT, side.offer(0, 0, 0));
        assertFalse(side.goesAtOnce(0, 0));
        settle(77, 3, 5);
        assertEquals(SenderState.SETTLED, side.state());
        assertEquals(77, side.payloadBytes());
        assertEquals(3, side.slots());
        assertEquals(77, side.thresholdBytes());
        assertSame(POLICY, side.policy());
    }

    @Test
    void settled_slotsAreUsedInTurn_andComeBack() {
        settle(100, 2, 0);
        assertEquals(0, side.nextSlot());
        assertEquals(1, side.take());
        assertEquals(1, side.nextSlot());
        assertTrue(side.hasSlot());
        assertEquals(2, side.take());
        assertEquals(0, side.nextSlot());
        assertFalse(side.hasSlot());
        assertEquals(Offer.NO_SLOT, side.offer(10, 10, 1));
        assertEquals(Offer.NO_SLOT, side.offer(500, 500, 1));
        assertFalse(side.goesAtOnce(10, 10));
        assertFalse(side.onReturned(3), "more than were used");
        assertTrue(side.onReturned(1));
        assertTrue(side.hasSlot());
        assertTrue(side.onReturned(0), "an older word");
        assertTrue(side.hasSlot());
        assertEquals(Offer.SEND, side.offer(10, 10, 1));
        assertTrue(side.onReturned(2));
        assertEquals(3, side.take());
        assertEquals(4, side.take());
        assertFalse(side.hasSlot());
    }

    @Test
    void notPosted_slotAndNumberAreGivenBack() {
        settle(100, 3, 0);
        side.take();
        side.undoTake();
        assertEquals(0, side.nextSlot());
        side.take();
        side.take();
        side.take();
        assertEquals(0, side.nextSlot());
        side.undoTake();
        assertEquals(2, side.nextSlot());
        assertEquals(3, side.take());
        assertFalse(side.onReturned(4));
        assertTrue(side.onReturned(3));
    }

    @Test
    void offers_byLengthAndNeed() {
        settle(100, 2, 0);
        assertTrue(side.goesAtOnce(100, 100));
        assertFalse(side.goesAtOnce(101, 100));
        assertFalse(side.goesAtOnce(100, 101));
        assertEquals(Offer.SEND, side.offer(100, 100, 1));
        assertEquals(Offer.ENLARGE, side.offer(101, 101, 1));
        assertEquals(Offer.ENLARGE, side.offer(50, 900, 1), "the size rule wants larger buffers");
        assertEquals(Offer.TOO_LARGE, side.offer(5001, 5001, 1));
        assertEquals(Offer.SEND, side.offer(100, 5001, 1), "nothing larger than the largest helps");
        assertEquals(1000, side.target(900, 1));
        assertEquals(5000, side.target(901, 1), "beyond the tolerance of the phase between");
    }

    @Test
    void enlargement_fromRequestToLargerBuffers() {
        settle(100, 2, 0);
        side.take();
        side.onControlMessageSent(1000, 20);
        assertEquals(SenderState.REQUESTED, side.state());
        assertEquals(2, side.request());
        assertEquals(1000, side.requestedPayloadBytes());
        assertEquals(Offer.AWAIT, side.offer(1, 1, 20));
        assertFalse(side.hasSlot());
        side.onHead(30);
        assertEquals(SenderState.HEAD_SEEN, side.state());
        assertTrue(side.mayWaitForTail(80));
        assertTrue(side.onAcknowledgement(ack(2, 1000, 4, RefusalReason.NONE), 81));
        assertEquals(SenderState.PROVISIONING, side.state());
        side.onProvisioned(1000, 4, RefusalReason.NONE, 82);
        assertEquals(1000, side.payloadBytes());
        assertEquals(900, side.thresholdBytes());
        assertEquals(1, side.nextSlot(), "numbers go on, and the slot follows from them");
        assertEquals(2, side.take());
        for (int i = 0; i < 3; i++) {
            assertTrue(side.hasSlot());
            side.take();
        }
        assertFalse(side.hasSlot(), "all slots were free");
    }

    @Test
    void tailDoesNotCome_countsAsNotReceived_andIsAskedForAtOnce() {
        side.onHead(10);
        assertTrue(side.mayWaitForTail(60));
        assertEquals(Overdue.NOTHING, side.overdue(60));
        assertFalse(side.mayWaitForTail(61));
        assertEquals(SenderState.REQUESTED, side.state());
        assertEquals(Overdue.REPEAT, side.overdue(61));
        assertEquals(1, side.repetitions());
        assertEquals(Overdue.NOTHING, side.overdue(61));
    }

    @Test
    void impossibleAcknowledgement_countsAsNotReceived() {
        settle(100, 2, 0);
        side.onControlMessageSent(1000, 0);
        side.onHead(1);
        assertFalse(side.onAcknowledgement(ack(2, 999, 2, RefusalReason.NONE), 2), "not what was asked for");
        assertEquals(SenderState.REQUESTED, side.state());
        side.onHead(3);
        assertFalse(
                side.onAcknowledgement(
                        new Acknowledgement(2, 1000, 2, RefusalReason.NONE, new Acknowledgement.Ring(0, 5, 0, 0)), 4),
                "a ring of another length");
        side.onHead(5);
        assertTrue(
                side.onAcknowledgement(ack(2, 999, 2, RefusalReason.RECEIVER_BUDGET), 6), "a refusal may name others");
    }

    @Test
    void noAcknowledgement_repetitionsAtGrowingDistances_thenTheEnd() {
        long[] times = {100, 300, 700, 1500};
        for (int i = 0; i < times.length; i++) {
            assertEquals(Overdue.NOTHING, side.overdue(times[i] - 1));
            assertEquals(Overdue.REPEAT, side.overdue(times[i]));
            assertEquals(i + 1, side.repetitions());
        }
        assertEquals(SendSide.MAX_REPETITIONS, times.length);
        assertEquals(Overdue.NOTHING, side.overdue(9_999));
        assertEquals(Overdue.GIVE_UP, side.overdue(10_000));
        side.onHead(10_000);
        assertEquals(Overdue.GIVE_UP, side.overdue(10_001), "a head alone does not help");
        assertTrue(side.onAcknowledgement(ack(1, 100, 2, RefusalReason.NONE), 10_001));
        side.onProvisioned(100, 2, RefusalReason.NONE, 10_001);
        assertEquals(Overdue.NOTHING, side.overdue(50_000));
        side.onControlMessageSent(1000, 50_000);
        assertEquals(0, side.repetitions());
        assertEquals(Overdue.NOTHING, side.overdue(50_099));
        assertEquals(Overdue.REPEAT, side.overdue(50_100));
    }

    @Test
    void headSeen_noRepetitionIsAskedFor() {
        side.onHead(90);
        assertEquals(Overdue.NOTHING, side.overdue(100));
        assertEquals(0, side.repetitions());
    }

    @Test
    void refused_notAskedForAgainBeforeThePauseIsOver() {
        settle(100, 2, 0);
        side.onControlMessageSent(1000, 10);
        side.onHead(20);
        assertTrue(side.onAcknowledgement(ack(2, 100, 2, RefusalReason.RECEIVER_BUDGET), 20));
        side.onProvisioned(100, 2, RefusalReason.RECEIVER_BUDGET, 20);
        assertEquals(RefusalReason.RECEIVER_BUDGET, side.refusal());
        assertEquals(0, side.target(500, 419));
        assertEquals(0, side.target(3000, 419), "larger ones are not to be had either");
        assertEquals(Offer.TOO_LARGE, side.offer(500, 500, 419));
        assertEquals(Offer.SEND, side.offer(50, 500, 419));
        assertEquals(1000, side.target(500, 420));
        assertEquals(Offer.ENLARGE, side.offer(500, 500, 420));
        side.onControlMessageSent(1000, 420);
        settle(1000, 2, 430);
        assertEquals(RefusalReason.NONE, side.refusal());
        assertEquals(5000, side.target(2000, 430));
    }

    @Test
    void largerRefused_smallerMayBeAskedFor() {
        settle(100, 2, 0);
        side.refused(RefusalReason.SENDER_BUDGET, 5000, 10);
        assertEquals(RefusalReason.SENDER_BUDGET, side.refusal());
        assertEquals(0, side.target(2000, 11));
        assertEquals(1000, side.target(500, 11));
    }

    @Test
    void newPolicy_countsFromTheNextElement_andForgetsRefusals() {
        settle(1000, 2, 0);
        assertEquals(900, side.thresholdBytes());
        side.refused(RefusalReason.SENDER_MEMORY, 5000, 0);
        EnlargementPolicy other = EnlargementPolicy.of(Phase.of(100), Phase.withTolerance(1000, 50), Phase.of(8000));
        side.policy(other);
        assertSame(other, side.policy());
        assertEquals(500, side.thresholdBytes());
        assertEquals(8000, side.target(600, 1));
        side.policy(EnlargementPolicy.of(Phase.of(5000)));
        assertEquals(1000, side.thresholdBytes(), "no more than there is");
    }

    @Test
    void idle_shrinksToTheFirstPhase_whenTheTimeHasCome() {
        side = new SendSide(POLICY.withShrinkAfter(Duration.ofNanos(1000)), 100, 10_000, 50, 0);
        assertEquals(0, side.shrinkTarget(0, 5000), "nothing is settled");
        settle(1000, 1, 0);
        assertEquals(0, side.shrinkTarget(10, 1009));
        assertEquals(100, side.shrinkTarget(10, 1010));
        side.take();
        assertEquals(0, side.shrinkTarget(10, 1010), "no slot for the request");
        side.onReturned(1);
        side.onControlMessageSent(100, 1010);
        settle(100, 1, 1020);
        assertEquals(0, side.shrinkTarget(10, 9000), "it is small already");
        side.policy(POLICY);
        assertEquals(0, side.shrinkTarget(10, 9000));
    }

    @Test
    void neverShrinks_whereThePolicySaysSo() {
        settle(1000, 1, 0);
        assertEquals(0, side.shrinkTarget(0, Long.MAX_VALUE));
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE - 120, -60})
    void clockWraps_timesAreDifferences(long start) {
        side = new SendSide(POLICY, 100, 10_000, 50, start);
        assertEquals(Overdue.NOTHING, side.overdue(start + 99));
        assertEquals(Overdue.REPEAT, side.overdue(start + 100));
        side.onHead(start + 150);
        assertTrue(side.mayWaitForTail(start + 200));
        assertFalse(side.mayWaitForTail(start + 201));
        assertEquals(Overdue.GIVE_UP, side.overdue(start + 10_000));
    }

    @Test
    void numbersWrap_slotFollows() {
        settle(100, 3, 0);
        for (int i = 0; i < 5; i++) {
            side.take();
            side.onReturned(i + 1);
        }
        side.onControlMessageSent(1000, 1);
        settle(1000, 4, 2);
        assertEquals(1, side.nextSlot(), "5 modulo 4");
    }

    @Test
    void ended_refusesAllAndStaysSo() {
        settle(100, 2, 0);
        side.onEnded();
        assertEquals(SenderState.ENDED, side.state());
        assertEquals(Offer.ENDED, side.offer(1, 1, 1));
        assertFalse(side.goesAtOnce(1, 1));
        assertFalse(side.hasSlot());
        assertEquals(Overdue.NOTHING, side.overdue(100_000));
        side.onEnded();
        side.onHead(5);
        assertEquals(SenderState.ENDED, side.state());
        assertTrue(side.toString().contains("ENDED") && side.toString().contains("payload 100"), side.toString());
    }

    @Test
    void controlMessageWhileOneIsUnderWay_isABug() {
        assertThrows(IllegalStateException.class, () -> side.onControlMessageSent(1000, 0));
    }
}
