package io.verbena.messaging.ring;

import io.verbena.messaging.policy.EnlargementPolicy;
import io.verbena.messaging.protocol.Acknowledgement;
import io.verbena.messaging.protocol.Offer;
import io.verbena.messaging.protocol.ReceiveSide;
import io.verbena.messaging.protocol.RefusalReason;
import io.verbena.messaging.protocol.SendSide;
import io.verbena.messaging.protocol.SenderState;
import io.verbena.messaging.protocol.SlotLayout;
import java.lang.foreign.MemorySegment;

/** The sending direction of one virtual channel: staging, the ring of the peer, and the actions that {@link SendSide} decides on. */
public final class SendRing {

    /** Kind of the control message that requests other buffers; its word is the requested payload. */
    public static final int ENLARGE = 0x80;

    private final RingEdge edge;
    private final SendSide side;
    private final ReceiveSide receiver; // of the same virtual channel: elements report the slots that it returns
    private final Staging staging;

    private int ringStride;
    private long ringAddress;
    private int ringKey;
    private long nonce;
    private boolean writing; // a request that is not acknowledged: the RNIC may read the staging buffer again
    private boolean used; // since the last check for idleness
    private long lastUsedNs;
    private EnlargementEvent event = new EnlargementEvent();

    SendRing(RingEdge edge, SendSide side, ReceiveSide receiver) {
        this.edge = edge;
        this.side = side;
        this.receiver = receiver;
        staging = new Staging(edge);
    }

    public SendSide side() {
        return side;
    }

    long registeredBytes() {
        return staging.registeredBytes();
    }

    // Elements.

    /** Offers one element; {@link Offer#SEND} means that it was accepted. */
    public Offer offer(
            MemorySegment from, long offset, int length, long need, int kind, int tag, int context, long word) {
        Offer offer = side.goesAtOnce(length, need)
                ? Offer.SEND
                : prepare(length, need, edge.environment().nowNs());
        if (offer == Offer.SEND) {
            return write(from, offset, length, kind, tag, context, word) ? Offer.SEND : Offer.NO_SLOT;
        }
        return offer;
    }

    /** Starts what an element needs that cannot be sent in the present state. */
    private Offer prepare(int length, long need, long nowNs) {
        Offer offer = side.offer(length, need, nowNs);
        if (offer == Offer.NO_SLOT) {
            refreshReturned();
            offer = side.offer(length, need, nowNs);
        } else if (offer == Offer.AWAIT) {
            checkAcknowledgement(nowNs);
            offer = side.offer(length, need, nowNs);
        }
        if (offer == Offer.ENLARGE) {
            offer = requestBuffers(side.target(need, nowNs), nowNs);
            if (offer == Offer.TOO_LARGE) { // no memory on this side: an element that fits the present buffers is sent
                offer = side.offer(length, need, nowNs);
            }
        }
        return offer;
    }

    private boolean write(MemorySegment from, long offset, int length, int kind, int tag, int context, long word) {
        int slot = side.nextSlot();
        int number = side.take();
        long at = (long) slot * staging.stride();
        MemorySegment to = staging.memory();
        // The receiver frees its buffers when it has the control message. The last byte of the tail flag may equal what
        // was in memory
        // before, so memory alone does not show that the whole Write has been placed. A completion after the Write
        // does.
        boolean announced = edge.owner().announces() || kind == ENLARGE;
        SlotLayout.putFlag(to, at, SlotLayout.head(number, length));
        SlotLayout.putHeader(
                to, at, kind, announced ? SlotLayout.ANNOUNCED : 0, receiver.returned(), tag, context, word);
        if (length > 0) {
            MemorySegment.copy(from, offset, to, at + SlotLayout.HEADER_BYTES, length);
        }
        SlotLayout.putFlag(to, at + SlotLayout.tailOffset(length), SlotLayout.tail(nonce, number));
        if (!post(slot, at, SlotLayout.messageBytes(length), kind, announced)) {
            side.undoTake();
            return false;
        }
        receiver.onReported();
        used = true;
        Counters counters = edge.counters();
        counters.sent++;
        if (length > 0) {
            counters.copied(length);
        }
        return true;
    }

    private boolean post(int slot, long at, int bytes, int kind, boolean announced) {
        long address = ringAddress + (long) slot * ringStride;
        RingPoster poster = edge.poster();
        if (kind == ENLARGE) {
            writing = poster.announceRequest(staging.region(), at, bytes, address, ringKey, edge.virtualChannel());
            return writing;
        }
        return announced
                ? poster.announceElement(staging.region(), at, bytes, address, ringKey, edge.virtualChannel())
                : poster.writeElement(staging.region(), at, bytes, address, ringKey);
    }

    /** Reads the number of slots that the peer has returned by Writes of their own. */
    private void refreshReturned() {
        onReturned((int) SlotLayout.flag(edge.poster().control(), ControlBlock.returnedAt(edge.virtualChannel())));
    }

    /** Returns whether the peer has written the acknowledgement or the returned slots that this side waits for. */
    public boolean seen() {
        MemorySegment control = edge.poster().control();
        int flow = edge.virtualChannel();
        return switch (side.state()) {
            case REQUESTED ->
                SlotLayout.flag(control, ControlBlock.acknowledgementAt(flow)) == Acknowledgement.head(side.request());
            case SETTLED ->
                !side.hasSlot() && side.frees((int) SlotLayout.flag(control, ControlBlock.returnedAt(flow)));
            default -> false;
        };
    }

    /** The peer reports the number of slots that it has returned; false if that number is impossible, which ends the channel. */
    boolean onReturned(int total) {
        boolean possible = side.onReturned(total);
        if (!possible) {
            edge.owner().fail("The peer returned " + total + " slots, more than were used.");
        }
        return possible;
    }

    // Enlargement.

    /** Sends the control message that requests buffers for {@code target} bytes of payload. */
    private Offer requestBuffers(int target, long nowNs) {
        long bytes = (long) side.slots() * SlotLayout.strideBytes(target);
        EnlargementPolicy policy = side.policy();
        long more = staging.additionalBytes(bytes, policy.provisionFirst());
        if (!edge.budget().reserve(more)) {
            return refused(RefusalReason.SENDER_BUDGET, target, nowNs);
        }
        if (policy.provisionFirst() && !staging.provisionEarly(bytes)) {
            edge.budget().reserve(-more);
            return refused(RefusalReason.SENDER_MEMORY, target, nowNs);
        }
        if (!write(MemorySegment.NULL, 0, 0, ENLARGE, 0, 0, target)) {
            staging.dropEarly();
            edge.budget().reserve(-more);
            return Offer.NO_SLOT;
        }
        staging.onReserved(more);
        side.onControlMessageSent(target, nowNs);
        event = new EnlargementEvent();
        event.begin();
        edge.owner().activate();
        return Offer.ENLARGE;
    }

    /**
     * The Write of a request has completed, and with it all earlier ones: the staging buffer can be replaced. A reliable connection of
     * InfiniBand reads it again for lost packets until then.
     */
    public void onRequestWritten() {
        writing = false;
        edge.owner().activate();
    }

    private Offer refused(RefusalReason reason, int target, long nowNs) {
        side.refused(reason, target, nowNs);
        edge.counters().refusals++;
        return Offer.TOO_LARGE;
    }

    /** Checks the head flag of the awaited acknowledgement, then its tail flag within its bound. Never waits. */
    private void checkAcknowledgement(long nowNs) {
        MemorySegment control = edge.poster().control();
        long at = ControlBlock.acknowledgementAt(edge.virtualChannel());
        int request = side.request();
        if (side.state() == SenderState.REQUESTED && SlotLayout.flag(control, at) == Acknowledgement.head(request)) {
            side.onHead(nowNs);
        }
        if (side.state() != SenderState.HEAD_SEEN) {
            return;
        }
        if (!Acknowledgement.complete(control, at, request)) {
            if (!side.mayWaitForTail(nowNs)) {
                SlotLayout.putFlag(control, at, 0); // treated as not received: the repetition must be seen as new
            }
            return;
        }
        if (writing) {
            return; // an acknowledgement by the peer's program can overtake that of its RNIC
        }
        Acknowledgement acknowledgement = Acknowledgement.read(control, at, request);
        if (side.onAcknowledgement(acknowledgement, nowNs)) {
            provision(acknowledgement, nowNs);
        } else {
            SlotLayout.putFlag(control, at, 0);
        }
    }

    /** Replaces the staging buffer and uses the ring that the peer has granted. */
    private void provision(Acknowledgement granted, long nowNs) {
        int before = side.payloadBytes();
        int payload = granted.payloadBytes();
        RefusalReason refusal = granted.refusal();
        switch (staging.replace(granted.slots(), payload, before)) {
            case AS_REQUESTED -> {}
            case AS_BEFORE -> {
                refusal = RefusalReason.SENDER_MEMORY;
                payload = before;
            }
            case NO_BUDGET -> {
                edge.owner().fail("The budget for registered memory does not allow the staging buffers of a channel.");
                return;
            }
            case NO_MEMORY -> {
                edge.owner().fail("The system has no memory left for the buffers of a channel.");
                return;
            }
        }
        ringAddress = granted.ring().address();
        ringKey = granted.ring().rkey();
        nonce = granted.ring().nonce();
        ringStride = SlotLayout.strideBytes(granted.payloadBytes());
        side.onProvisioned(payload, granted.slots(), refusal, nowNs);
        lastUsedNs = nowNs;
        onSettled(before, payload, refusal);
    }

    private void onSettled(int before, int after, RefusalReason refusal) {
        Counters counters = edge.counters();
        if (refusal != RefusalReason.NONE) {
            counters.refusals++;
        } else if (before > 0) {
            counters.enlargements += after > before ? 1 : 0;
            counters.shrinks += after < before ? 1 : 0;
        }
        if (before > 0) {
            event.peer = edge.owner().peer();
            event.virtualChannel = edge.virtualChannel();
            event.payloadBefore = before;
            event.payloadAfter = after;
            event.refusal(refusal);
            event.commit();
        }
    }

    // Progress.

    /** Checks for the awaited acknowledgement, and requests a repetition of a late one; returns whether one is awaited. */
    public boolean service(long nowNs) {
        checkAcknowledgement(nowNs);
        switch (side.overdue(nowNs)) {
            case REPEAT -> {
                edge.counters().repetitions++;
                edge.poster().sendImmediate(Immediate.REPEAT.with(edge.virtualChannel(), side.request()));
            }
            case GIVE_UP ->
                edge.owner()
                        .fail("The peer did not acknowledge new buffers in time; the request was sent "
                                + (1 + side.repetitions()) + " times.");
            case NOTHING -> {}
        }
        return side.state() == SenderState.REQUESTED || side.state() == SenderState.HEAD_SEEN;
    }

    /** Requests the buffers of the first phase if nothing was sent for long enough. */
    public void shrinkIfIdle(long nowNs) {
        if (used) {
            used = false;
            lastUsedNs = nowNs;
            return;
        }
        if (!side.hasSlot()) {
            refreshReturned();
        }
        int target = side.shrinkTarget(lastUsedNs, nowNs);
        if (target > 0) {
            requestBuffers(target, nowNs);
        }
    }

    /** The channel has ended: releases the staging buffers. */
    void release() {
        side.onEnded();
        staging.release();
    }
}
