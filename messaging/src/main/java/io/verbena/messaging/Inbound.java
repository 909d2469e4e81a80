package io.verbena.messaging;

import io.verbena.messaging.protocol.Acknowledgement;
import io.verbena.messaging.protocol.ReceiveSide;
import io.verbena.messaging.protocol.ReceiverState;
import io.verbena.messaging.protocol.Refusal;
import io.verbena.messaging.protocol.SlotLayout;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The receiving edge of one virtual channel: its ring, and what {@link ReceiveSide} decides made real. */
final class Inbound {

    private static final int MOST_AT_A_TIME = 64;

    private final Channel channel;
    private final int virtualChannel;
    private final int slots;
    private final ReceiveSide side;
    private final MemoryBudget budget;
    private final Element element;

    private @Nullable MemoryRegion ring;
    private MemorySegment memory = MemorySegment.NULL;
    private int stride;
    private Refusal refusal = Refusal.NONE;
    private boolean leftBehind; // an element was shown and not taken

    Inbound(Channel channel, int virtualChannel, int slots, ReceiveSide side, MemoryBudget budget, Element element) {
        this.channel = channel;
        this.virtualChannel = virtualChannel;
        this.slots = slots;
        this.side = side;
        this.budget = budget;
        this.element = element;
    }

    ReceiveSide side() {
        return side;
    }

    long registeredBytes() {
        MemoryRegion now = ring;
        return now == null ? 0 : now.length();
    }

    // Elements.

    /** Takes what is in the ring, in order; returns how many messages. */
    int poll(long nowNs) {
        int taken = 0;
        leftBehind = false;
        while (taken < MOST_AT_A_TIME && side.state() == ReceiverState.RECEIVING && takeNext(nowNs)) {
            taken++;
        }
        if (taken == MOST_AT_A_TIME) {
            leaveBehind();
        }
        if (side.returnDue()) {
            giveBack();
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
                channel.fail("The peer wrote a message of " + SlotLayout.lengthOf(head) + " bytes into a buffer of "
                        + side.payloadBytes() + ".");
                return false;
            }
            case NEXT -> {}
        }
        int length = SlotLayout.lengthOf(head);
        if (!whole(at, head)) {
            if (!side.mayWaitForTail(nowNs)) {
                channel.fail("A message is torn: its head flag is here, and its tail flag did not come in time.");
            }
            return false;
        }
        element.at(from, at, length, virtualChannel);
        boolean announced = element.announced();
        if (announced && side.tickets() == 0 && !channel.draining()) {
            return false; // its completion is still to come
        }
        if (!channel.outbound(virtualChannel).onReturned(element.returned())) {
            return false; // nothing is shown behind the end
        }
        if (element.kind() == Outbound.ENLARGE) {
            side.onTaken(announced);
            provision((int) Math.min(element.word(), Integer.MAX_VALUE));
            return true;
        }
        if (!channel.show(element)) {
            leaveBehind();
            return false;
        }
        if (side.state() == ReceiverState.RECEIVING) { // the listener may have ended the channel
            side.onTaken(announced);
            channel.counters().received++;
        }
        return true;
    }

    /** Looked at again at the next progress, whether or not the channel is among those that are polled. */
    private void leaveBehind() {
        leftBehind = true;
        channel.activate();
    }

    /** Tells the peer by a Write of its own which slots are free. */
    private void giveBack() {
        if (channel.writeReturned(virtualChannel, side.returned())) {
            side.onTold();
            channel.counters().returnWrites++;
        } else {
            channel.activate(); // the send queue is full: later
        }
    }

    // Enlargement, Fig. 6.

    /** The first buffers. */
    boolean provisionFirst() {
        long bytes = (long) slots * SlotLayout.strideBytes(side.wantedPayloadBytes());
        return budget.reserve(bytes) && install(bytes, side.wantedPayloadBytes());
    }

    /** Blocks 681 to 683. Every answer is an acknowledgement; one that refuses names the buffers that there are. */
    private void provision(int wanted) {
        side.onControlMessage(wanted);
        MemoryRegion old = ring;
        assert old != null : "receiving without a ring";
        int payload = side.payloadBytes();
        long bytes = (long) slots * SlotLayout.strideBytes(Math.clamp(wanted, 1, channel.maxPayloadBytes()));
        refusal = Refusal.NONE;
        if (wanted < 1 || wanted > channel.maxPayloadBytes()) {
            refusal = Refusal.TOO_LARGE;
        } else if (!budget.reserve(bytes - old.length())) {
            refusal = Refusal.RECEIVER_BUDGET;
        } else {
            ring = null;
            old.close(); // unregistered and freed
            if (install(bytes, wanted)) {
                channel.activate();
                return;
            }
            refusal = Refusal.RECEIVER_MEMORY;
            budget.reserve(old.length() - bytes);
            if (!install(old.length(), payload)) {
                channel.fail("The system has no memory left for the buffers of a channel.");
            }
            channel.activate();
            return;
        }
        side.onProvisioned(payload, slots, side.nonce());
        channel.activate();
    }

    private boolean install(long bytes, int payload) {
        Optional<MemoryRegion> made = channel.allocate(bytes, AccessRight.REMOTE_WRITE);
        if (made.isEmpty()) {
            return false;
        }
        ring = made.get();
        memory = made.get().segment();
        stride = SlotLayout.strideBytes(payload);
        side.onProvisioned(payload, slots, channel.newNonce());
        return true;
    }

    /** The peer asks for an acknowledgement once more. */
    void onRepetitionWanted(int request) {
        side.onRepetitionWanted(request);
        channel.activate();
    }

    /** Block 684, and slots that could not be given back; true while something is left to do. */
    boolean tend(long nowNs) {
        MemoryRegion now = ring;
        if (side.state() == ReceiverState.ACKNOWLEDGING && now != null) {
            Acknowledgement ack = new Acknowledgement(
                    side.request(),
                    side.payloadBytes(),
                    slots,
                    refusal,
                    now.address(),
                    now.length(),
                    now.rkey(),
                    side.nonce());
            if (channel.acknowledge(virtualChannel, ack)) {
                side.onAcknowledged();
            }
        }
        if (leftBehind || side.tickets() > 0) { // also what was announced while an acknowledgement was due
            poll(nowNs);
        }
        if (side.returnDue() && channel.writeReturned(virtualChannel, side.returned())) {
            side.onTold();
            channel.counters().returnWrites++;
        }
        return side.state() == ReceiverState.ACKNOWLEDGING || side.returnDue() || leftBehind || side.tickets() > 0;
    }

    /** The tail flag is there too, and the head flag was not torn itself. */
    private boolean whole(long at, long head) {
        long tail = SlotLayout.flag(memory, at + SlotLayout.tailOffset(SlotLayout.lengthOf(head)));
        return tail == SlotLayout.tail(side.nonce(), side.nextNumber()) && SlotLayout.flag(memory, at) == head;
    }

    /** Whether nothing is left that could be taken. */
    boolean empty() {
        if (side.state() != ReceiverState.RECEIVING) {
            return true;
        }
        long at = (long) side.nextSlot() * stride;
        long head = SlotLayout.flag(memory, at);
        return side.onHead(head) != ReceiveSide.Head.NEXT || !whole(at, head);
    }

    /** The channel is over: gives everything back. */
    void release() {
        side.onEnded();
        MemoryRegion now = ring;
        ring = null;
        memory = MemorySegment.NULL;
        if (now != null) {
            budget.reserve(-now.length());
            now.close();
        }
    }
}
