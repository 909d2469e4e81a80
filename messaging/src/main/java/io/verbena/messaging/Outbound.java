package io.verbena.messaging;

import io.verbena.messaging.policy.EnlargementPolicy;
import io.verbena.messaging.protocol.Acknowledgement;
import io.verbena.messaging.protocol.Offer;
import io.verbena.messaging.protocol.Refusal;
import io.verbena.messaging.protocol.SendSide;
import io.verbena.messaging.protocol.SenderState;
import io.verbena.messaging.protocol.SlotLayout;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The sending edge of one virtual channel: staging, the peer's ring, and what {@link SendSide} decides made real. */
final class Outbound {

    /** A kind of message of our own: the control message of block 344, with the wanted payload as its word. */
    static final int ENLARGE = 0x80;

    private final Channel channel;
    private final int virtualChannel;
    private final SendSide side;
    private final MemoryBudget budget;

    private @Nullable MemoryRegion staging;
    private MemorySegment memory = MemorySegment.NULL;
    private @Nullable MemoryRegion early; // provisioned before the control message
    private long reservedBytes;
    private int stagingStride;
    private int ringStride;
    private long ringAddress;
    private int ringKey;
    private long nonce;
    private boolean used; // since it was last asked whether it is idle
    private long lastUsedNs;
    private EnlargementEvent event = new EnlargementEvent();

    Outbound(Channel channel, int virtualChannel, SendSide side, MemoryBudget budget) {
        this.channel = channel;
        this.virtualChannel = virtualChannel;
        this.side = side;
        this.budget = budget;
    }

    SendSide side() {
        return side;
    }

    long registeredBytes() {
        MemoryRegion now = staging;
        MemoryRegion next = early;
        return (now == null ? 0 : now.length()) + (next == null ? 0 : next.length());
    }

    // Elements.

    /** Offers one element; SEND says that it was taken. */
    Offer offer(MemorySegment from, long offset, int length, long need, int kind, int tag, int context, long word) {
        Offer offer = side.goesAtOnce(length, need) ? Offer.SEND : prepare(length, need, channel.nowNs());
        if (offer == Offer.SEND) {
            return write(from, offset, length, kind, tag, context, word) ? Offer.SEND : Offer.NO_SLOT;
        }
        return offer;
    }

    /** Does what an element needs that cannot go as things are; SEND if it can then. */
    private Offer prepare(int length, long need, long nowNs) {
        Offer offer = side.offer(length, need, nowNs);
        if (offer == Offer.NO_SLOT) {
            refreshReturned();
            offer = side.offer(length, need, nowNs);
        } else if (offer == Offer.AWAIT) {
            look(nowNs); // blocks 334 and 348: the acknowledgement may be here
            offer = side.offer(length, need, nowNs);
        }
        if (offer == Offer.ENLARGE) {
            offer = askFor(side.target(need, nowNs), nowNs);
            if (offer == Offer.TOO_LARGE) { // not with our own memory; what fits goes all the same
                offer = side.offer(length, need, nowNs);
            }
        }
        return offer;
    }

    private boolean write(MemorySegment from, long offset, int length, int kind, int tag, int context, long word) {
        int slot = side.nextSlot();
        int number = side.take();
        long at = (long) slot * stagingStride;
        MemorySegment to = memory;
        // The receiver frees its buffers when it sees the control message. The last byte of a tail flag may be what was
        // in memory before,
        // so memory alone does not tell that the whole Write has been placed; a completion after the Write does.
        boolean announced = channel.announces() || kind == ENLARGE;
        Inbound back = channel.inbound(virtualChannel);
        SlotLayout.putFlag(to, at, SlotLayout.head(number, length));
        SlotLayout.putHeader(
                to, at, kind, announced ? SlotLayout.ANNOUNCED : 0, back.side().returned(), tag, context, word);
        if (length > 0) {
            MemorySegment.copy(from, offset, to, at + SlotLayout.HEADER_BYTES, length);
        }
        SlotLayout.putFlag(to, at + SlotLayout.tailOffset(length), SlotLayout.tail(nonce, number));
        MemoryRegion region = staging;
        assert region != null : "settled without staging";
        if (!channel.write(
                region,
                at,
                SlotLayout.messageBytes(length),
                ringAddress + (long) slot * ringStride,
                ringKey,
                announced,
                virtualChannel)) {
            side.untake();
            return false;
        }
        back.side().onTold();
        used = true;
        channel.counters().sent++;
        if (length > 0) {
            channel.counters().copied(length);
        }
        return true;
    }

    /** Looks how many slots the peer has given back. */
    private void refreshReturned() {
        onReturned((int) SlotLayout.flag(channel.control(), ControlBlock.returnedAt(virtualChannel)));
    }

    /** The peer said how many slots it has given back; false when that cannot be, and the channel is over. */
    boolean onReturned(int total) {
        boolean possible = side.onReturned(total);
        if (!possible) {
            channel.fail("The peer gave back " + total + " slots, more than were used.");
        }
        return possible;
    }

    // Enlargement.

    /** Block 344: the control message goes out instead of the element. */
    private Offer askFor(int target, long nowNs) {
        long bytes = (long) side.slots() * SlotLayout.strideBytes(target);
        EnlargementPolicy policy = side.policy();
        long more = policy.provisionFirst() ? bytes : Math.max(0, bytes - reservedBytes);
        if (!budget.reserve(more)) {
            return refused(Refusal.SENDER_BUDGET, target, nowNs);
        }
        if (policy.provisionFirst()) {
            early = allocate(bytes).orElse(null);
            if (early == null) {
                budget.reserve(-more);
                return refused(Refusal.SENDER_MEMORY, target, nowNs);
            }
        }
        if (!write(MemorySegment.NULL, 0, 0, ENLARGE, 0, 0, target)) {
            dropEarly();
            budget.reserve(-more);
            return Offer.NO_SLOT;
        }
        reservedBytes += more;
        side.onControlMessageSent(target, nowNs);
        event = new EnlargementEvent();
        event.begin();
        channel.activate();
        return Offer.ENLARGE;
    }

    private Offer refused(Refusal why, int target, long nowNs) {
        side.refused(why, target, nowNs);
        channel.counters().refusals++;
        return Offer.TOO_LARGE;
    }

    /** Blocks 348 and 350: polls the head flag, then the tail flag within its bound. Never waits. */
    private void look(long nowNs) {
        MemorySegment control = channel.control();
        long at = ControlBlock.acknowledgementAt(virtualChannel);
        int request = side.request();
        if (side.state() == SenderState.REQUESTED && SlotLayout.flag(control, at) == Acknowledgement.head(request)) {
            side.onHead(nowNs);
        }
        if (side.state() != SenderState.HEAD_SEEN) {
            return;
        }
        if (!Acknowledgement.complete(control, at, request)) {
            if (!side.mayWaitForTail(nowNs)) {
                SlotLayout.putFlag(control, at, 0); // taken as not received: the repetition is to be seen as a new one
            }
            return;
        }
        Acknowledgement ack = Acknowledgement.read(control, at, request);
        if (side.onAcknowledgement(ack, nowNs)) {
            provision(ack, nowNs); // 354
        } else {
            SlotLayout.putFlag(control, at, 0);
        }
    }

    /** Fig. 4. */
    private void provision(Acknowledgement ack, long nowNs) {
        int before = side.payloadBytes();
        long bytes = ack.lengthBytes();
        int payload = ack.payloadBytes();
        Refusal why = ack.refusal();
        MemoryRegion old = staging;
        MemoryRegion ready = early;
        if (ready != null && ready.length() == bytes) {
            close(old);
            staging = ready;
            early = null;
            stagingStride = SlotLayout.strideBytes(payload);
        } else if (old == null || old.length() != bytes) {
            dropEarly();
            if (bytes > reservedBytes && !budget.reserve(bytes - reservedBytes)) {
                channel.fail("There is no registered memory left for the first buffers of a channel: the budget is used"
                        + " up.");
                return;
            }
            reservedBytes = Math.max(reservedBytes, bytes);
            long oldBytes = old == null ? 0 : old.length();
            staging = null;
            close(old); // 455 and 456
            Optional<MemoryRegion> made = allocate(bytes); // 457 and 458
            stagingStride = SlotLayout.strideBytes(payload);
            if (made.isEmpty() && oldBytes > 0) { // what there was must do, in a ring that is larger
                why = Refusal.SENDER_MEMORY;
                payload = before;
                stagingStride = SlotLayout.strideBytes(payload);
                made = allocate((long) ack.slots() * stagingStride);
            }
            staging = made.orElse(null);
        }
        dropEarly();
        MemoryRegion now = staging;
        if (now == null) {
            channel.fail("The system has no memory left for the buffers of a channel.");
            return;
        }
        memory = now.segment();
        budget.reserve(now.length() - reservedBytes);
        reservedBytes = now.length();
        ringAddress = ack.address(); // 459
        ringKey = ack.rkey();
        nonce = ack.nonce();
        ringStride = SlotLayout.strideBytes(ack.payloadBytes());
        side.onProvisioned(payload, ack.slots(), why, nowNs);
        lastUsedNs = nowNs;
        settled(before, payload, why);
    }

    private void settled(int before, int after, Refusal why) {
        Counters counters = channel.counters();
        if (why != Refusal.NONE) {
            counters.refusals++;
        } else if (before > 0) {
            counters.enlargements += after > before ? 1 : 0;
            counters.shrinks += after < before ? 1 : 0;
        }
        if (before > 0) {
            event.peer = channel.peer();
            event.virtualChannel = virtualChannel;
            event.payloadBefore = before;
            event.payloadAfter = after;
            event.refusal = why == Refusal.NONE ? "" : why.sentence();
            event.commit();
        }
    }

    /** Looks after what is awaited; true while something is. */
    boolean tend(long nowNs) {
        look(nowNs);
        switch (side.overdue(nowNs)) {
            case REPEAT -> {
                channel.counters().repetitions++;
                channel.sendImmediate(Immediate.REPEAT.with(virtualChannel, side.request()));
            }
            case GIVE_UP ->
                channel.fail("The peer did not acknowledge new buffers in all the time allowed; it was asked "
                        + (1 + side.repetitions()) + " times.");
            case NOTHING -> {}
        }
        return side.state() == SenderState.REQUESTED || side.state() == SenderState.HEAD_SEEN;
    }

    /** Goes back to small buffers if nothing was sent for long enough. */
    void shrinkIfIdle(long nowNs) {
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
            askFor(target, nowNs);
        }
    }

    private Optional<MemoryRegion> allocate(long bytes) {
        return channel.allocate(bytes, new AccessRight[0]);
    }

    private void dropEarly() {
        MemoryRegion ready = early;
        early = null;
        close(ready);
    }

    private static void close(@Nullable MemoryRegion region) {
        if (region != null) {
            region.close();
        }
    }

    /** The channel is over: gives everything back. */
    void release() {
        side.onEnded();
        dropEarly();
        close(staging);
        staging = null;
        memory = MemorySegment.NULL;
        budget.reserve(-reservedBytes);
        reservedBytes = 0;
    }
}
