package io.verbena.messaging.protocol;

import io.verbena.messaging.policy.EnlargementPolicy;

/**
 * The sender of one direction of a virtual channel: flow control by slots, and the sender's part of buffer enlargement. Pure: it is called
 * with what was observed and when, and returns what has to be done.
 */
public final class SendSide {

    /** Action for an acknowledgement that does not arrive. */
    public enum Overdue {
        NOTHING,
        /** Request a repetition. */
        REPEAT,
        /** End the channel. */
        GIVE_UP
    }

    /** Maximum number of repetitions requested for one request: the peer posts receives for them. */
    public static final int MAX_REPETITIONS = 4;

    private final long acknowledgementTimeoutNs;
    private final long patienceNs;
    private final long tailBoundNs;

    private EnlargementPolicy policy;
    private SenderState state = SenderState.REQUESTED;
    private int request = 1;
    private int requestedPayload; // 0: the first phase of the peer
    private long requestedNs;
    private long headSeenNs;
    private long nextRepetitionNs;
    private int repetitions;

    private int payload;
    private int threshold;
    private int slots;
    private int number;
    private int slot; // of the next element
    private int returned;

    private RefusalReason refusal = RefusalReason.NONE;
    private long refusedUntilNs;
    private int refusedPayload = Integer.MAX_VALUE;

    /**
     * Starts with the request for the first phase in progress.
     *
     * @param patienceNs time after a request at which the channel ends
     * @param tailBoundNs maximum time between the head flag and the tail flag
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

    /** Number of the present or last request. */
    public int request() {
        return request;
    }

    /** Largest payload of an element in the present buffers; 0 before the first. */
    public int payloadBytes() {
        return payload;
    }

    public int slots() {
        return slots;
    }

    /** Why the last request was granted other buffers. */
    public RefusalReason refusal() {
        return refusal;
    }

    /** Sets another policy, from the next element on. */
    public void policy(EnlargementPolicy value) {
        policy = value;
        threshold = Math.min(payload, policy.thresholdBytes(payload));
        refusedPayload = Integer.MAX_VALUE;
    }

    public EnlargementPolicy policy() {
        return policy;
    }

    // Elements.

    /** Returns whether {@link #offer} would return SEND; needs no clock. */
    public boolean goesAtOnce(long length, long need) {
        return need <= threshold && length <= payload && hasSlot();
    }

    /**
     * Decides what happens to one element.
     *
     * @param length length of the element
     * @param need value compared with the threshold: the length, or what the size rule derives from the vector
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

    /** Threshold of the present buffers. */
    public int thresholdBytes() {
        return threshold;
    }

    /** Payload of the buffers to request; 0 if there are none, or they were refused recently. */
    public int target(long need, long nowNs) {
        int target = policy.targetPayloadBytes(payload, need);
        return target >= refusedPayload && nowNs - refusedUntilNs < 0 ? 0 : target;
    }

    /** Returns whether an element can be written now. */
    public boolean hasSlot() {
        return state == SenderState.SETTLED && number - returned < slots;
    }

    /** Takes {@link #nextSlot}; returns the number of the element. */
    public int take() {
        slot = slot + 1 == slots ? 0 : slot + 1;
        return ++number;
    }

    /** Undoes the last {@link #take}: the element could not be posted. */
    public void undoTake() {
        number--;
        slot = slot == 0 ? slots - 1 : slot - 1;
    }

    /** Index of the slot of the next element. The index is incremented, since a division for each element would cost 10 ns. */
    public int nextSlot() {
        return slot;
    }

    /**
     * The peer has returned slots.
     *
     * @param total number of slots returned since the start
     * @return false if that number is impossible
     */
    public boolean onReturned(int total) {
        int more = total - returned;
        if (more < 0) {
            return true; // an older report, overtaken by a newer element
        }
        if (total - number > 0) {
            return false;
        }
        returned = total;
        return true;
    }

    /** Returns whether a number of returned slots is larger than the one that is known. */
    public boolean frees(int total) {
        return total - returned > 0;
    }

    // Enlargement.

    /** The control message that requests other buffers was posted. */
    public void onControlMessageSent(int requestedPayloadBytes, long nowNs) {
        state = EnlargementTables.SENDER.next(state, SenderEvent.CONTROL_MESSAGE_SENT);
        requestedPayload = requestedPayloadBytes;
        request++;
        startWaiting(nowNs);
    }

    private void startWaiting(long nowNs) {
        requestedNs = nowNs;
        nextRepetitionNs = nowNs + acknowledgementTimeoutNs;
        repetitions = 0;
    }

    /** Payload that was requested last. */
    public int requestedPayloadBytes() {
        return requestedPayload;
    }

    /** The head flag of the awaited acknowledgement has changed. */
    public void onHead(long nowNs) {
        state = EnlargementTables.SENDER.next(state, SenderEvent.HEAD_CHANGED);
        headSeenNs = nowNs;
    }

    /** The tail flag has not arrived: returns whether its bound has not passed. Otherwise the acknowledgement counts as not received. */
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
     * @return false if its content is impossible; it counts as not received then
     */
    public boolean onAcknowledgement(Acknowledgement ack, long nowNs) {
        boolean asked =
                requestedPayload == 0 || ack.payloadBytes() == requestedPayload || ack.refusal() != RefusalReason.NONE;
        if (!ack.possible() || !asked) {
            onBad(nowNs);
            return false;
        }
        state = EnlargementTables.SENDER.next(state, SenderEvent.ACKNOWLEDGED);
        return true;
    }

    private void onBad(long nowNs) {
        state = EnlargementTables.SENDER.next(state, SenderEvent.ACKNOWLEDGEMENT_BAD);
        nextRepetitionNs = nowNs; // the next check requests a repetition
    }

    /**
     * Both sides have their buffers; all earlier elements have been received.
     *
     * @param payloadBytes largest payload of an element: that of the peer, or less if the staging buffer is smaller
     */
    public void onProvisioned(int payloadBytes, int ringSlots, RefusalReason why, long nowNs) {
        state = EnlargementTables.SENDER.next(state, SenderEvent.PROVISIONED);
        payload = payloadBytes;
        slots = ringSlots;
        slot = Integer.remainderUnsigned(number, ringSlots);
        returned = number;
        threshold = Math.min(payload, policy.thresholdBytes(payload));
        if (why != RefusalReason.NONE) {
            refused(why, requestedPayload, nowNs);
        } else {
            refusal = RefusalReason.NONE;
            refusedPayload = Integer.MAX_VALUE;
        }
    }

    /** Buffers of this payload are not available: they are not requested again before the pause of the policy has passed. */
    public void refused(RefusalReason why, int payloadBytes, long nowNs) {
        refusal = why;
        refusedPayload = payloadBytes;
        refusedUntilNs = nowNs + policy.refusalPause().toNanos();
    }

    /** Returns what has to be done about an overdue acknowledgement. */
    public Overdue overdue(long nowNs) {
        if (state != SenderState.REQUESTED && state != SenderState.HEAD_SEEN) {
            return Overdue.NOTHING;
        }
        if (nowNs - requestedNs >= patienceNs) {
            return Overdue.GIVE_UP;
        }
        if (state == SenderState.REQUESTED && repetitions < MAX_REPETITIONS && nowNs - nextRepetitionNs >= 0) {
            repetitions++;
            nextRepetitionNs = nowNs + (acknowledgementTimeoutNs << repetitions);
            return Overdue.REPEAT;
        }
        return Overdue.NOTHING;
    }

    /** Number of repetitions requested for the present request. */
    public int repetitions() {
        return repetitions;
    }

    /** Payload of the buffers to request after idleness; 0 for none. */
    public int shrinkTarget(long lastUsedNs, long nowNs) {
        long afterNs = policy.shrinkAfter().toNanos();
        boolean due = afterNs > 0 && nowNs - lastUsedNs >= afterNs;
        return due && hasSlot() && payload > policy.firstPayloadBytes() ? policy.firstPayloadBytes() : 0;
    }

    /** The connection has ended. */
    public void onEnded() {
        state = EnlargementTables.SENDER.next(state, SenderEvent.ENDED);
    }

    @Override
    public String toString() {
        return state + " request " + request + " payload " + payload + " number " + number + " returned " + returned
                + " slots " + slots + " rep " + repetitions + " " + refusal;
    }
}
