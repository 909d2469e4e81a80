package io.verbena.messaging.protocol;

/**
 * The receiver of one direction of a virtual channel: what is next in the ring, what goes back, and the seed's Fig. 6. Pure.
 */
public final class ReceiveSide {

    /** What a head flag means. */
    public enum Head {
        /** Nothing new. */
        EMPTY,
        /** The next message; look at its tail. */
        NEXT,
        /** It cannot be. */
        IMPOSSIBLE
    }

    private final long tailBoundNs;

    private ReceiverState state = ReceiverState.PROVISIONING;
    private int request = 1;
    private int wantedPayload;
    private int payload;
    private int slots;
    private long nonce;
    private int number; // received so far
    private int slot; // of the message to come
    private int told; // of these, the peer was told
    private int tickets;
    private boolean waitsForTail;
    private long headSeenNs;

    /** Begins with the request for the first phase under way. */
    public ReceiveSide(int firstPayloadBytes, long tailBoundNs) {
        this.tailBoundNs = tailBoundNs;
        wantedPayload = firstPayloadBytes;
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

    /** Number of the message to come. */
    public int nextNumber() {
        return number + 1;
    }

    /** Index of the slot of the message to come. */
    public int nextSlot() {
        return slot;
    }

    /** Judges the head flag of the next slot. */
    public Head onHead(long head) {
        if (SlotLayout.numberOf(head) != number + 1) {
            return Head.EMPTY;
        }
        int length = SlotLayout.lengthOf(head);
        return length < 0 || length > payload ? Head.IMPOSSIBLE : Head.NEXT;
    }

    /** A head without its tail: whether that is still within its bound. */
    public boolean mayWaitForTail(long nowNs) {
        if (!waitsForTail) {
            waitsForTail = true;
            headSeenNs = nowNs;
        }
        return nowNs - headSeenNs <= tailBoundNs;
    }

    /** A completion says that an announced message is here. */
    public void onTicket() {
        tickets++;
    }

    /** Announced messages that are here and were not taken. */
    public int tickets() {
        return tickets;
    }

    /** The message was taken out of its slot. */
    public void onTaken(boolean announced) {
        number++;
        slot = slot + 1 == slots ? 0 : slot + 1;
        waitsForTail = false;
        if (announced) {
            tickets--;
        }
    }

    /** Slots given back since the beginning, to be told with any message that goes the other way. */
    public int returned() {
        return number;
    }

    /** The peer is being told {@link #returned()}. */
    public void onTold() {
        told = number;
    }

    /** Whether enough slots wait to be given back for a Write of their own. */
    public boolean returnDue() {
        return number - told >= Math.max(1, slots / 2) && state == ReceiverState.RECEIVING;
    }

    // Enlargement.

    /** The control message came (681). */
    public void onControlMessage(int payloadBytes) {
        state = EnlargementTables.RECEIVER.next(state, ReceiverEvent.CONTROL_MESSAGE);
        request++;
        wantedPayload = payloadBytes;
    }

    /** Payload that the sender asked for. */
    public int wantedPayloadBytes() {
        return wantedPayload;
    }

    /** Buffers are there, and are used from now on (683). */
    public void onProvisioned(int payloadBytes, int ringSlots, long ringNonce) {
        state = EnlargementTables.RECEIVER.next(state, ReceiverEvent.PROVISIONED);
        payload = payloadBytes;
        slots = ringSlots;
        slot = Integer.remainderUnsigned(number, ringSlots);
        nonce = ringNonce;
        told = number; // the acknowledgement gives back all slots
    }

    /** The acknowledgement was posted (684). */
    public void onAcknowledged() {
        state = EnlargementTables.RECEIVER.next(state, ReceiverEvent.ACKNOWLEDGED);
    }

    /** The sender asks for the acknowledgement of a request once more; nothing happens if it is not the last one. */
    public void onRepetitionWanted(int requestNumber) {
        if (requestNumber == (request & 0xffff) && state != ReceiverState.PROVISIONING) {
            state = EnlargementTables.RECEIVER.next(state, ReceiverEvent.REPETITION_WANTED);
        }
    }

    /** The connection is over. */
    public void onEnded() {
        state = EnlargementTables.RECEIVER.next(state, ReceiverEvent.ENDED);
    }

    @Override
    public String toString() {
        return state + " request " + request + " payload " + payload + " number " + number + " told " + told
                + " tickets " + tickets;
    }
}
