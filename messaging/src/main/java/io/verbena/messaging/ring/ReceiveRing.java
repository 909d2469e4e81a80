package io.verbena.messaging.ring;

import io.verbena.messaging.protocol.Acknowledgement;
import io.verbena.messaging.protocol.ReceiveSide;
import io.verbena.messaging.protocol.ReceiverState;
import io.verbena.messaging.protocol.RefusalReason;
import io.verbena.messaging.protocol.SlotLayout;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The receiving direction of one virtual channel: its ring, and the actions that {@link ReceiveSide} decides on. */
public final class ReceiveRing {

    private static final int MAX_ELEMENTS_PER_POLL = 64;

    private final RingEdge edge;
    private final int slots;
    private final ReceiveSide side;
    private final SendRing send;
    private final SlotView slot;

    private @Nullable MemoryRegion ring;
    private MemorySegment memory = MemorySegment.NULL;
    private int stride;
    private RefusalReason refusal = RefusalReason.NONE;
    private boolean leftBehind; // an element was delivered and not accepted, or the limit of one poll was reached

    ReceiveRing(RingEdge edge, RingSettings settings, ReceiveSide side, SendRing send) {
        this.edge = edge;
        this.side = side;
        this.send = send;
        slots = settings.slots();
        slot = edge.environment().slot();
    }

    public ReceiveSide side() {
        return side;
    }

    long registeredBytes() {
        MemoryRegion currentRing = ring;
        return currentRing == null ? 0 : currentRing.length();
    }

    // Elements.

    /** Delivers the elements in the ring in order; returns their number. */
    public int poll(long nowNs) {
        int taken = 0;
        leftBehind = false;
        while (taken < MAX_ELEMENTS_PER_POLL && side.state() == ReceiverState.RECEIVING && takeNext(nowNs)) {
            taken++;
        }
        if (taken == MAX_ELEMENTS_PER_POLL) {
            leaveBehind();
        }
        if (side.returnDue() && !returnSlots()) {
            edge.owner().activate(); // the send queue is full: the next service() retries
        }
        return taken;
    }

    private boolean takeNext(long nowNs) {
        MemorySegment from = memory;
        long at = (long) side.nextSlot() * stride;
        long head = SlotLayout.flag(from, at);
        switch (side.onHead(head)) {
            case EMPTY -> {
                return false;
            }
            case IMPOSSIBLE -> {
                edge.owner()
                        .fail("The peer wrote an element of " + SlotLayout.lengthOf(head) + " bytes into a buffer of "
                                + side.payloadBytes() + " bytes.");
                return false;
            }
            case NEXT -> {}
        }
        if (!complete(at, head)) {
            if (!side.mayWaitForTail(nowNs)) {
                edge.owner()
                        .fail("An element is torn: its head flag has arrived, and its tail flag did not arrive in"
                                + " time.");
            }
            return false;
        }
        slot.at(from, at, SlotLayout.lengthOf(head), edge.virtualChannel());
        boolean announced = slot.announced();
        if (announced && side.announcements() == 0 && !edge.owner().draining()) {
            return false; // its completion has not been polled yet
        }
        if (!send.onReturned(slot.returned())) {
            return false; // the channel has failed: nothing is delivered after its end
        }
        if (slot.kind() == SendRing.ENLARGE) {
            side.onTaken(announced);
            provision((int) Math.min(slot.word(), Integer.MAX_VALUE));
            return true;
        }
        boolean accepted = false;
        try {
            accepted = edge.owner().deliver();
        } finally {
            if (!accepted) {
                leaveBehind(); // also if the listener throws
            }
        }
        if (!accepted) {
            return false;
        }
        if (side.state() == ReceiverState.RECEIVING) { // the listener may have ended the channel
            side.onTaken(announced);
            edge.counters().received++;
        }
        return true;
    }

    /** The next progress polls this ring again, whether or not the channel is in the polled set. */
    private void leaveBehind() {
        leftBehind = true;
        edge.owner().activate();
    }

    /** Reports returned slots by a Write of their own. */
    private boolean returnSlots() {
        if (!edge.poster().writeReturned(edge.virtualChannel(), side.returned())) {
            return false;
        }
        side.onReported();
        edge.counters().returnWrites++;
        return true;
    }

    /** Returns whether the tail flag has arrived and the head flag was not torn itself. */
    private boolean complete(long at, long head) {
        long tail = SlotLayout.flag(memory, at + SlotLayout.tailOffset(SlotLayout.lengthOf(head)));
        return tail == SlotLayout.tail(side.nonce(), side.nextNumber()) && SlotLayout.flag(memory, at) == head;
    }

    /** Returns whether the ring holds an element that {@link #poll} takes, and not one whose completion is awaited. */
    public boolean seen() {
        return !empty() && (side.announcements() > 0 || !SlotView.announced(memory, (long) side.nextSlot() * stride));
    }

    /** Returns whether the ring holds no element that could be delivered. */
    public boolean empty() {
        if (side.state() != ReceiverState.RECEIVING) {
            return true;
        }
        long at = (long) side.nextSlot() * stride;
        long head = SlotLayout.flag(memory, at);
        return side.onHead(head) != ReceiveSide.Head.NEXT || !complete(at, head);
    }

    // Enlargement.

    /** Provisions the first buffers; returns false if there is no memory for them. */
    public boolean provisionFirst() {
        long bytes = (long) slots * SlotLayout.strideBytes(side.requestedPayloadBytes());
        return edge.budget().reserve(bytes) && install(bytes, side.requestedPayloadBytes());
    }

    /**
     * Replaces the ring as the sender requested. Every reply is an acknowledgement; one that refuses the request describes the buffers
     * that exist.
     */
    private void provision(int requested) {
        side.onControlMessage(requested);
        MemoryRegion old = ring;
        assert old != null : "receiving without a ring";
        int payload = side.payloadBytes();
        int maxPayloadBytes = edge.environment().maxPayloadBytes();
        long bytes = (long) slots * SlotLayout.strideBytes(Math.clamp(requested, 1, maxPayloadBytes));
        refusal = RefusalReason.NONE;
        if (requested < 1 || requested > maxPayloadBytes) {
            refusal = RefusalReason.TOO_LARGE;
        } else if (!edge.budget().reserve(bytes - old.length())) {
            refusal = RefusalReason.RECEIVER_BUDGET;
        } else {
            ring = null;
            old.close();
            if (!install(bytes, requested)) {
                refusal = RefusalReason.RECEIVER_MEMORY;
                edge.budget().reserve(old.length() - bytes);
                if (!install(old.length(), payload)) {
                    edge.owner().fail("The system has no memory left for the buffers of a channel.");
                }
            }
            edge.owner().activate();
            return;
        }
        side.onProvisioned(payload, slots, side.nonce());
        edge.owner().activate();
    }

    private boolean install(long bytes, int payload) {
        Optional<MemoryRegion> created = edge.allocate(bytes, AccessRight.REMOTE_WRITE);
        if (created.isEmpty()) {
            return false;
        }
        ring = created.get();
        memory = created.get().segment();
        stride = SlotLayout.strideBytes(payload);
        side.onProvisioned(payload, slots, edge.environment().newNonce());
        return true;
    }

    /** The peer requests an acknowledgement once more. */
    public void onRepetitionRequested(int request) {
        side.onRepetitionRequested(request);
        edge.owner().activate();
    }

    // Progress.

    /** Sends a due acknowledgement, and retries what could not be done before; returns whether work is left. */
    public boolean service(long nowNs) {
        MemoryRegion currentRing = ring;
        if (side.state() == ReceiverState.ACKNOWLEDGING && currentRing != null && acknowledge(currentRing)) {
            side.onAcknowledged();
        }
        if (leftBehind || side.announcements() > 0) { // includes elements announced while an acknowledgement was due
            poll(nowNs);
        }
        if (side.returnDue()) {
            returnSlots();
        }
        return side.state() == ReceiverState.ACKNOWLEDGING
                || side.returnDue()
                || leftBehind
                || side.announcements() > 0;
    }

    private boolean acknowledge(MemoryRegion now) {
        Acknowledgement acknowledgement = new Acknowledgement(
                side.request(),
                side.payloadBytes(),
                slots,
                refusal,
                new Acknowledgement.Ring(now.address(), now.length(), now.rkey(), side.nonce()));
        return edge.environment().acknowledge(edge.poster(), edge.virtualChannel(), acknowledgement);
    }

    /** The channel has ended: releases the ring. */
    void release() {
        side.onEnded();
        MemoryRegion currentRing = ring;
        ring = null;
        memory = MemorySegment.NULL;
        if (currentRing != null) {
            edge.budget().reserve(-currentRing.length());
            currentRing.close();
        }
    }
}
