package io.verbena.messaging.protocol;

/**
 * The receiver of one direction of a virtual channel: the next element of the ring, the slots to return, and the receiver's part of buffer
 * enlargement. Pure.
 */
public final class ReceiveSide {

    /** Meaning of a head flag. */
    public enum Head {
        /** There is no new element. */
        EMPTY,
        /** The next element; its tail flag has to be checked. */
        NEXT,
        /** The length is impossible. */
        IMPOSSIBLE
    }

    private final long tailBoundNs;

    private ReceiverState state = ReceiverState.PROVISIONING;
    private int request = 1;
    private int requestedPayload;
    private int payload;
    private int slots;
    private long nonce;
    private int number; // of elements received
    private int slot; // of the next element
    private int reported; // slots reported to the peer as returned
    private int announcements;
    private boolean waitsForTail;
    private long headSeenNs;

    /** Starts with the request for the first phase in progress. */
    public ReceiveSide(int firstPayloadBytes, long tailBoundNs) {
        this.tailBoundNs = tailBoundNs;
        requestedPayload = firstPayloadBytes;
    }

    public ReceiverState state() {
        return state;
    }

    public int request() {
        return request;
    }

    public int payloadBytes() {
        return payload;
    }

    public int slots() {
        return slots;
    }

    public long nonce() {
        return nonce;
    }

    /** Number of the next element. */
    public int nextNumber() {
        return number + 1;
    }

    /** Index of the slot of the next element. */
    public int nextSlot() {
        return slot;
    }

    /** Checks the head flag of the next slot. */
    public Head onHead(long head) {
        if (SlotLayout.numberOf(head) != number + 1) {
            return Head.EMPTY;
        }
        int length = SlotLayout.lengthOf(head);
        return length < 0 || length > payload ? Head.IMPOSSIBLE : Head.NEXT;
    }

    /** The head flag has arrived without its tail flag: returns whether the bound has not passed. */
    public boolean mayWaitForTail(long nowNs) {
        if (!waitsForTail) {
            waitsForTail = true;
            headSeenNs = nowNs;
        }
        return nowNs - headSeenNs <= tailBoundNs;
    }

    /** A completion announced an element. */
    public void onAnnouncement() {
        announcements++;
    }

    /** Number of announced elements that have not been taken. */
    public int announcements() {
        return announcements;
    }

    /** The element was taken out of its slot. */
    public void onTaken(boolean announced) {
        number++;
        slot = slot + 1 == slots ? 0 : slot + 1;
        waitsForTail = false;
        if (announced) {
            announcements--;
        }
    }

    /** Number of slots returned since the start; reported with every element of the other direction. */
    public int returned() {
        return number;
    }

    /** {@link #returned()} is being reported to the peer. */
    public void onReported() {
        reported = number;
    }

    /** Returns whether enough slots have to be reported for a Write of their own. */
    public boolean returnDue() {
        return number - reported >= Math.max(1, slots / 2) && state == ReceiverState.RECEIVING;
    }

    // Enlargement.

    /** The control message that requests other buffers has arrived. */
    public void onControlMessage(int payloadBytes) {
        state = EnlargementTables.RECEIVER.next(state, ReceiverEvent.CONTROL_MESSAGE);
        request++;
        requestedPayload = payloadBytes;
    }

    /** Payload that the sender has requested. */
    public int requestedPayloadBytes() {
        return requestedPayload;
    }

    /** The buffers have been provisioned and are used from now on. */
    public void onProvisioned(int payloadBytes, int ringSlots, long ringNonce) {
        state = EnlargementTables.RECEIVER.next(state, ReceiverEvent.PROVISIONED);
        payload = payloadBytes;
        slots = ringSlots;
        slot = Integer.remainderUnsigned(number, ringSlots);
        nonce = ringNonce;
        reported = number; // the acknowledgement returns all slots
    }

    /** The acknowledgement was posted. */
    public void onAcknowledged() {
        state = EnlargementTables.RECEIVER.next(state, ReceiverEvent.ACKNOWLEDGED);
    }

    /** The sender requests the acknowledgement of a request once more; ignored if that is not the last request. */
    public void onRepetitionRequested(int requestNumber) {
        if (requestNumber == (request & 0xffff) && state != ReceiverState.PROVISIONING) {
            state = EnlargementTables.RECEIVER.next(state, ReceiverEvent.REPETITION_REQUESTED);
        }
    }

    /** The connection has ended. */
    public void onEnded() {
        state = EnlargementTables.RECEIVER.next(state, ReceiverEvent.ENDED);
    }

    @Override
    public String toString() {
        return state + " request " + request + " payload " + payload + " number " + number + " reported " + reported
                + " announcements " + announcements;
    }
}
