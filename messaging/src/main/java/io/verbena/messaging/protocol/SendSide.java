package io.verbena.messaging.protocol;

import io.verbena.messaging.policy.EnlargementPolicy;

/**
 * The sender of one direction of a virtual channel: flow control by slots, and the seed's Fig. 3. Pure: it is told what was
 * seen and when, and says what is to be done.
 */
public final class SendSide {

    /** What to do about an acknowledgement that does not come. */
    public enum Overdue {
        NOTHING,
        /** Ask the peer to say it once more. */
        REPEAT,
        /** Give up the channel. */
        GIVE_UP
    }

    /** Most repetitions that one request asks for: the peer keeps receives for them. */
    public static final int MOST_REPETITIONS = 4;

    private final long acknowledgementTimeoutNs;
    private final long patienceNs;
    private final long tailBoundNs;

    private EnlargementPolicy policy;
    private SenderState state = SenderState.REQUESTED;
    private int request = 1;
    private int wantedPayload; // 0: whatever the peer starts with
    private long requestedNs;
    private long headSeenNs;
    private long nextRepetitionNs;
    private int repetitions;

    private int payload;
    private int threshold;
    private int slots;
    private int number;
    private int slot; // of the next message
    private int returned;

    private Refusal refusal = Refusal.NONE;
    private long refusedUntilNs;
    private int refusedPayload = Integer.MAX_VALUE;

    /**
     * Begins with the request for the first phase under way.
     *
     * @param patienceNs when the channel is given up, from a request
     * @param tailBoundNs how long the tail flag may come after the head flag
     */
    public SendSide(
            EnlargementPolicy policy, long acknowledgementTimeoutNs, long patienceNs, long tailBoundNs, long nowNs) {
        this.policy = policy;
        this.acknowledgementTimeoutNs = acknowledgementTimeoutNs;
        this.patienceNs = patienceNs;
        this.tailBoundNs = tailBoundNs;
        startWaiting(nowNs);
    }

    public SenderState state() {
        return state;
    }

    /** Number of the request that is or was last under way. */
    public int request() {
        return request;
    }

    /** Most payload of an element in the present buffers; 0 before the first. */
    public int payloadBytes() {
        return payload;
    }

    public int slots() {
        return slots;
    }

    /** Why the last request was answered with other buffers. */
    public Refusal refusal() {
        return refusal;
    }

    /** From the next element on. */
    public void policy(EnlargementPolicy value) {
        policy = value;
        threshold = Math.min(payload, policy.thresholdBytes(payload));
        refusedPayload = Integer.MAX_VALUE;
    }

    public EnlargementPolicy policy() {
        return policy;
    }

    // Elements.

    /** Whether an element goes as things are: what {@link #offer} would say, without asking what time it is. */
    public boolean goesAtOnce(long length, long need) {
        return need <= threshold && length <= payload && hasSlot();
    }

    /**
     * Blocks 334 to 350 for one element.
     *
     * @param length of the element
     * @param need what is compared with the threshold: the same, or what the size rule makes of the vector
     */
    public Offer offer(long length, long need, long nowNs) {
        if (state != SenderState.SETTLED) {
            return state == SenderState.ENDED ? Offer.ENDED : Offer.AWAIT;
        }
        if (need > threshold && target(need, nowNs) > 0) {
            return hasSlot() ? Offer.ENLARGE : Offer.NO_SLOT;
        }
        if (length > payload) {
            return Offer.TOO_LARGE;
        }
        return hasSlot() ? Offer.SEND : Offer.NO_SLOT;
    }

    /** The threshold of the present buffers. */
    public int thresholdBytes() {
        return threshold;
    }

    /** Payload of the buffers to ask for; 0 when there are none, or they were refused a moment ago. */
    public int target(long need, long nowNs) {
        int target = policy.targetPayloadBytes(payload, need);
        return target >= refusedPayload && nowNs - refusedUntilNs < 0 ? 0 : target;
    }

    /** Whether a message can be written now. */
    public boolean hasSlot() {
        return state == SenderState.SETTLED && number - returned < slots;
    }

    /** Takes {@link #nextSlot}; answers the message's number. */
    public int take() {
        slot = slot + 1 == slots ? 0 : slot + 1;
        return ++number;
    }

    /** Gives back the slot taken last: the message could not be posted. */
    public void untake() {
        number--;
        slot = slot == 0 ? slots - 1 : slot - 1;
    }

    /** Index of the slot of the message to come: counted on, for a division a message would cost 10 ns. */
    public int nextSlot() {
        return slot;
    }

    /**
     * The peer has given back slots.
     *
     * @param total since the beginning
     * @return false when that cannot be
     */
    public boolean onReturned(int total) {
        int more = total - returned;
        if (more < 0) {
            return true; // an older word overtaken by a newer message
        }
        if (total - number > 0) {
            return false;
        }
        returned = total;
        return true;
    }

    // Enlargement.

    /** The control message was posted (344). */
    public void onControlMessageSent(int wantedPayloadBytes, long nowNs) {
        state = EnlargementTables.SENDER.next(state, SenderEvent.CONTROL_MESSAGE_SENT);
        wantedPayload = wantedPayloadBytes;
        request++;
        startWaiting(nowNs);
    }

    private void startWaiting(long nowNs) {
        requestedNs = nowNs;
        nextRepetitionNs = nowNs + acknowledgementTimeoutNs;
        repetitions = 0;
    }

    /** Payload that the request under way is for. */
    public int wantedPayloadBytes() {
        return wantedPayload;
    }

    /** The head flag of the awaited acknowledgement has changed. */
    public void onHead(long nowNs) {
        state = EnlargementTables.SENDER.next(state, SenderEvent.HEAD_CHANGED);
        headSeenNs = nowNs;
    }

    /** The tail flag is not there yet: whether it is still within its bound. If not, it counts as not received. */
    public boolean mayWaitForTail(long nowNs) {
        if (nowNs - headSeenNs <= tailBoundNs) {
            return true;
        }
        onBad(nowNs);
        return false;
    }

    /**
     * The acknowledgement is complete.
     *
     * @return false when it is impossible, which counts as not received
     */
    public boolean onAcknowledgement(Acknowledgement ack, long nowNs) {
        boolean asked = wantedPayload == 0 || ack.payloadBytes() == wantedPayload || ack.refusal() != Refusal.NONE;
        if (!ack.possible() || !asked) {
            onBad(nowNs);
            return false;
        }
        state = EnlargementTables.SENDER.next(state, SenderEvent.ACKNOWLEDGED);
        return true;
    }

    private void onBad(long nowNs) {
        state = EnlargementTables.SENDER.next(state, SenderEvent.ACKNOWLEDGEMENT_BAD);
        nextRepetitionNs = nowNs; // at once
    }

    /**
     * Buffers are there on both sides; all elements before have been received.
     *
     * @param payloadBytes most payload of an element: the peer's, or less if our own buffers are smaller
     */
    public void onProvisioned(int payloadBytes, int ringSlots, Refusal why, long nowNs) {
        state = EnlargementTables.SENDER.next(state, SenderEvent.PROVISIONED);
        payload = payloadBytes;
        slots = ringSlots;
        slot = Integer.remainderUnsigned(number, ringSlots);
        returned = number;
        threshold = Math.min(payload, policy.thresholdBytes(payload));
        if (why != Refusal.NONE) {
            refused(why, wantedPayload, nowNs);
        } else {
            refusal = Refusal.NONE;
            refusedPayload = Integer.MAX_VALUE;
        }
    }

    /** Buffers of this payload are not to be had: not asked for again before the policy's pause is over. */
    public void refused(Refusal why, int payloadBytes, long nowNs) {
        refusal = why;
        refusedPayload = payloadBytes;
        refusedUntilNs = nowNs + policy.refusalPause().toNanos();
    }

    /** Whether the acknowledgement is overdue, and what is to be done about it. */
    public Overdue overdue(long nowNs) {
        if (state != SenderState.REQUESTED && state != SenderState.HEAD_SEEN) {
            return Overdue.NOTHING;
        }
        if (nowNs - requestedNs >= patienceNs) {
            return Overdue.GIVE_UP;
        }
        if (state == SenderState.REQUESTED && repetitions < MOST_REPETITIONS && nowNs - nextRepetitionNs >= 0) {
            repetitions++;
            nextRepetitionNs = nowNs + (acknowledgementTimeoutNs << repetitions);
            return Overdue.REPEAT;
        }
        return Overdue.NOTHING;
    }

    /** How often the peer was asked to say it again for the request under way. */
    public int repetitions() {
        return repetitions;
    }

    /** Payload to shrink to after idleness, 0 for none. */
    public int shrinkTarget(long lastUsedNs, long nowNs) {
        long afterNs = policy.shrinkAfter().toNanos();
        boolean due = afterNs > 0 && nowNs - lastUsedNs >= afterNs;
        return due && hasSlot() && payload > policy.firstPayloadBytes() ? policy.firstPayloadBytes() : 0;
    }

    /** The connection is over. */
    public void onEnded() {
        state = EnlargementTables.SENDER.next(state, SenderEvent.ENDED);
    }

    @Override
    public String toString() {
        return state + " request " + request + " payload " + payload + " number " + number + " returned " + returned
                + " slots " + slots + " rep " + repetitions + " " + refusal;
    }
}
