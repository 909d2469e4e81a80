package io.verbena.ib.respond;

import io.verbena.base.Digest;
import io.verbena.ib.endpoint.QueuePairWork;
import io.verbena.memory.AccessCheck;
import io.verbena.memory.CopyResult;
import io.verbena.memory.Region;
import io.verbena.memory.Verdict;
import io.verbena.queue.Arrival;
import io.verbena.queue.ReceiveQueue;
import io.verbena.queue.Wqe;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionStatus;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbOpcode.Operation;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.PacketRun;
import io.verbena.wire.ib.PathEth;
import io.verbena.work.Grant;
import io.verbena.work.KeyWork;
import io.verbena.work.Moved;
import io.verbena.work.OneShotKeys;
import java.lang.foreign.MemorySegment;

/**
 * The Send or Write of the peer in progress on one queue pair: places each packet and completes the receive at the end.
 * The responder of each service processes sequence numbers and builds answers.
 *
 * <p>A packet passes a chain of named checks: order of opcodes, length, the operations that the queue pair permits, a
 * receive if one is needed, the key. If a check fails, the packet has no effect. Source: InfiniBand architecture
 * specification, volume 1, sections 9.7.4.1 and 9.9.3.
 */
public final class InboundMessage {

    static final long LONGEST = 1L << 31;

    private final QueuePairWork owner;
    private final ReceiveQueue receives;
    private int mtuBytes;
    private final OneShotKeys oneShot;
    private final KeyWork keys;
    private final Grant grant = new Grant();
    private final Wqe wqe = new Wqe();
    private final Arrival arrival = new Arrival();
    private boolean mayWrite = true;

    /** The message in progress: SEND, WRITE or NONE. */
    private Operation operation = Operation.NONE;

    private long writeAddress;
    private int writeKey;
    private long writeLeft;
    private long writeBytes;

    public InboundMessage(QueuePairWork owner, int mtuBytes, OneShotKeys oneShot) {
        this.owner = owner;
        this.mtuBytes = mtuBytes;
        this.oneShot = oneShot;
        receives = owner.queues().receive();
        keys = new KeyWork(owner.context());
    }

    /** Sets whether the peer may write on this queue pair. */
    public void mayWrite(boolean allowed) {
        mayWrite = allowed;
    }

    /** Whether a message is in progress. */
    public boolean underWay() {
        return operation != Operation.NONE;
    }

    /** Abandons the message in progress. The next Send uses the same receive from its beginning. */
    public void abandon() {
        if (operation == Operation.WRITE) {
            oneShot.endWrite();
        }
        operation = Operation.NONE;
    }

    /** As {@link #check(IbPacket)}, for a packet of a context with this path MTU. */
    public ResponderFault check(IbPacket packet, int contextMtuBytes) {
        mtuBytes = contextMtuBytes;
        return check(packet);
    }

    /** Checks every request: its position in a message and its length. */
    public ResponderFault check(IbPacket packet) {
        IbOpcode opcode = packet.opcode();
        boolean fits = opcode.starts() ? operation == Operation.NONE : operation == opcode.operation();
        if (!fits) {
            return ResponderFault.OPCODE_ORDER;
        }
        return lengthFits(packet, opcode) ? ResponderFault.NONE : ResponderFault.LENGTH;
    }

    /** FIRST and MIDDLE have a full payload and no padding. LAST has at least one byte. ONLY may be empty. */
    private boolean lengthFits(IbPacket packet, IbOpcode opcode) {
        int bytes = packet.payloadBytes();
        return switch (opcode.position()) {
            case FIRST, MIDDLE -> bytes == mtuBytes && packet.bth().pad() == 0;
            case LAST -> bytes >= 1 && bytes <= mtuBytes;
            case ONLY -> bytes <= mtuBytes;
        };
    }

    /** Executes a packet of a Send or Write that has passed {@link #check}. */
    public ResponderFault take(IbPacket packet, MemorySegment segment) {
        return take(packet, segment, false);
    }

    /** The same for a packet whose payload may have been placed by {@link #placeEarly}. */
    ResponderFault take(IbPacket packet, MemorySegment segment, boolean placed) {
        return packet.opcode().operation() == Operation.SEND ? send(packet, segment) : write(packet, segment, placed);
    }

    /**
     * Places the payload of a packet that is {@code ahead} of the expected one. Only middle packets of the Write in
     * progress are placed: their address is known, and they overlap no missing packet. The last packet of a Write and
     * later messages are placed in order, because programs detect the end of a Write by its last byte and expect the
     * order of Writes. The packet passes all checks again when it is executed.
     *
     * @return false if the payload was not placed
     */
    boolean placeEarly(IbPacket packet, MemorySegment segment, int ahead) {
        IbOpcode opcode = packet.opcode();
        long skipped = (long) ahead * mtuBytes;
        return operation == Operation.WRITE
                && opcode.operation() == Operation.WRITE
                && opcode.position() == IbOpcode.Position.MIDDLE
                && lengthFits(packet, opcode)
                && skipped + mtuBytes < writeLeft
                && mayWrite
                && placeWrite(packet, segment, writeAddress + skipped, writeKey, mtuBytes) == ResponderFault.NONE;
    }

    /**
     * Places the payload of a packet that names its place, before packets that are missing. The last packet of a Write is
     * placed in order, and so is a Write that may overlap an earlier one. The packet passes all checks again when it is executed.
     *
     * @return false if the payload was not placed
     */
    boolean placeAnywhere(IbPacket packet, MemorySegment segment) {
        IbOpcode opcode = packet.opcode();
        if (opcode.operation() != Operation.WRITE || opcode.ends() || !mayWrite || !lengthFits(packet, opcode)) {
            return false;
        }
        PathEth place = packet.pathEth();
        long skipped = Integer.toUnsignedLong(place.offset());
        return (place.disjoint() || operation == Operation.WRITE && continues(place))
                && skipped + mtuBytes <= LONGEST
                && placeApart(packet, segment, place.va() + skipped, place.rKey());
    }

    /** Places a payload for a message that has not begun. It cannot use a one-shot key, which belongs to the message that begins first. */
    private boolean placeApart(IbPacket packet, MemorySegment segment, long address, int key) {
        Verdict verdict =
                owner.access().check(key, AccessCheck.NO_MESSAGE, address, mtuBytes, AccessRight.REMOTE_WRITE, grant);
        return verdict == Verdict.OK
                && grant.region().copyIn(grant.offset(), segment, packet.payloadOffset(), mtuBytes) == CopyResult.DONE;
    }

    /** Whether a place belongs to the Write in progress, after what has been executed of it. */
    private boolean continues(PathEth place) {
        long end = writeAddress + writeLeft;
        return place.rKey() == writeKey && place.va() + writeBytes == end;
    }

    /** Whether a packet names the place at which it is executed. */
    private boolean atItsPlace(IbPacket packet, long address, int key) {
        if (!packet.sprayed()) {
            return true;
        }
        PathEth place = packet.pathEth();
        return place.rKey() == key && place.va() + Integer.toUnsignedLong(place.offset()) == address;
    }

    // Sends.

    private ResponderFault send(IbPacket packet, MemorySegment segment) {
        IbOpcode opcode = packet.opcode();
        if (!receives.provide(receives.retired())) {
            return ResponderFault.NO_RECEIVE;
        }
        receives.at(receives.retired(), wqe);
        int done = opcode.starts() ? 0 : wqe.progress();
        if ((long) done + packet.payloadBytes() > wqe.length()) {
            return ResponderFault.TOO_LONG;
        }
        Moved moved = owner.buffers().scatter(wqe, done, segment, packet.payloadOffset(), packet.payloadBytes());
        if (moved != Moved.DONE) {
            return receiveFault(moved);
        }
        if (opcode.invalidates()) {
            Moved ended = keys.invalidateByPeer(packet.ieth().rKey());
            if (ended != Moved.DONE) {
                return ended == Moved.NOT_NOW ? ResponderFault.NOT_READY : ResponderFault.INVALIDATE;
            }
        }
        wqe.progress(done + packet.payloadBytes());
        if (!opcode.ends()) {
            operation = Operation.SEND;
            return ResponderFault.NONE;
        }
        arrival.of(CompletionOpcode.RECEIVE, wqe.progress(), packet.bth().se());
        if (opcode.invalidates()) {
            arrival.invalidatedKey(packet.ieth().rKey());
        }
        return delivered(packet);
    }

    // Runs.

    /**
     * Executes a packet of a run, whose packets have the length and the opcode of one that was executed. Returns false,
     * and has no effect, if a check fails or something else has to be decided: the packet then passes all checks.
     */
    boolean takeNext(PacketRun run, int index) {
        return switch (run.opcode()) {
            case RC_WRITE_ONLY -> operation == Operation.NONE && takeWrite(run, index);
            case RC_WRITE_MIDDLE -> operation == Operation.WRITE && continueWrite(run, index);
            case RC_SEND_ONLY -> operation == Operation.NONE && takeSend(run, index);
            default -> operation == Operation.SEND && continueSend(run, index);
        };
    }

    private boolean takeWrite(PacketRun run, int index) {
        int bytes = run.payloadBytes();
        long address = run.address(index);
        int key = run.key(index);
        if (bytes > mtuBytes || run.dmaLength(index) != bytes || !placeNext(run, index, address, key)) {
            return false;
        }
        writeAddress = address + bytes;
        writeKey = key;
        writeLeft = 0;
        writeBytes = bytes;
        oneShot.endWrite();
        owner.queues().tally().serve(CompletionOpcode.WRITE, bytes);
        Region.publish();
        return true;
    }

    private boolean continueWrite(PacketRun run, int index) {
        int bytes = run.payloadBytes();
        if (bytes != mtuBytes || bytes >= writeLeft || !placeNext(run, index, writeAddress, writeKey)) {
            return false;
        }
        writeAddress += bytes;
        writeLeft -= bytes;
        return true;
    }

    /** Checks the key of a Write and places the payload. The use of a one-shot key is recorded elsewhere. */
    private boolean placeNext(PacketRun run, int index, long address, int key) {
        int bytes = run.payloadBytes();
        return mayWrite
                && bytes > 0
                && owner.access().check(key, oneShot.write(), address, bytes, AccessRight.REMOTE_WRITE, grant)
                        == Verdict.OK
                && !grant.oneShot()
                && grant.region().copyIn(grant.offset(), run.segment(), run.payloadOffset(index), bytes)
                        == CopyResult.DONE;
    }

    private boolean takeSend(PacketRun run, int index) {
        int bytes = run.payloadBytes();
        if (bytes > mtuBytes
                || !owner.queues().mayCompleteReceive()
                || !receives.provide(receives.retired())
                || !scatterNext(run, index, 0)) {
            return false;
        }
        wqe.progress(bytes);
        arrival.of(CompletionOpcode.RECEIVE, bytes, run.solicited());
        Region.publish();
        return owner.queues().completeReceive(CompletionStatus.SUCCESS, arrival);
    }

    private boolean continueSend(PacketRun run, int index) {
        int bytes = run.payloadBytes();
        if (bytes != mtuBytes || !receives.provide(receives.retired())) {
            return false;
        }
        int done = receives.at(receives.retired(), wqe).progress();
        if (!scatterNext(run, index, done)) {
            return false;
        }
        wqe.progress(done + bytes);
        return true;
    }

    /** Places the payload in the receive of the message in progress, after {@code done} bytes. */
    private boolean scatterNext(PacketRun run, int index, int done) {
        int bytes = run.payloadBytes();
        receives.at(receives.retired(), wqe);
        return (long) done + bytes <= wqe.length()
                && owner.buffers().scatter(wqe, done, run.segment(), run.payloadOffset(index), bytes) == Moved.DONE;
    }

    public static ResponderFault receiveFault(Moved moved) {
        return switch (moved) {
            // The memory is available when the peer retries.
            case NOT_NOW -> ResponderFault.NOT_READY;
            case REFUSED -> ResponderFault.RECEIVE_PROTECTION;
            default -> ResponderFault.OPERATION;
        };
    }

    private ResponderFault delivered(IbPacket packet) {
        if (packet.opcode().immediate()) {
            arrival.immediate(packet.immDt().immediate());
        }
        if (packet.opcode().hasDeth()) {
            int context = packet.opcode().hasRdeth() ? packet.rdeth().eeContext() : 0;
            arrival.source(packet.deth().srcQp(), 0, context, false);
        }
        Region.publish();
        if (!owner.queues().completeReceive(CompletionStatus.SUCCESS, arrival)) {
            return ResponderFault.CQ_OVERFLOW;
        }
        operation = Operation.NONE;
        return ResponderFault.NONE;
    }

    // Writes.

    private ResponderFault write(IbPacket packet, MemorySegment segment, boolean placed) {
        IbOpcode opcode = packet.opcode();
        if (!mayWrite) {
            return ResponderFault.NOT_ALLOWED;
        }
        long address = opcode.starts() ? packet.reth().va() : writeAddress;
        int key = opcode.starts() ? packet.reth().rKey() : writeKey;
        long whole = opcode.starts() ? Integer.toUnsignedLong(packet.reth().dmaLength()) : writeLeft;
        int bytes = packet.payloadBytes();
        if (whole > LONGEST || (opcode.ends() ? bytes != whole : bytes >= whole)) {
            return ResponderFault.LENGTH;
        }
        if (!atItsPlace(packet, address, key)) {
            return ResponderFault.PLACE;
        }
        if (opcode.completesReceive() && !receives.provide(receives.retired())) {
            return ResponderFault.NO_RECEIVE;
        }
        ResponderFault fault = placed
                ? checkWrite(address, key, bytes)
                : placeWrite(packet, segment, address, key, opcode.starts() ? whole : bytes);
        if (fault != ResponderFault.NONE) {
            return fault;
        }
        writeAddress = address + bytes;
        writeKey = key;
        writeLeft = whole - bytes;
        writeBytes = opcode.starts() ? whole : writeBytes;
        if (!opcode.ends()) {
            operation = Operation.WRITE;
            return ResponderFault.NONE;
        }
        oneShot.endWrite();
        owner.queues().tally().serve(CompletionOpcode.WRITE, writeBytes);
        if (opcode.immediate()) {
            arrival.of(
                    CompletionOpcode.RECEIVE_WRITE_IMMEDIATE,
                    writeBytes,
                    packet.bth().se());
            return delivered(packet);
        }
        Region.publish();
        operation = Operation.NONE;
        return ResponderFault.NONE;
    }

    /** Checks the key, for the whole message at its first packet, and places the payload. */
    private ResponderFault placeWrite(IbPacket packet, MemorySegment segment, long address, int key, long checked) {
        ResponderFault fault = checkWrite(address, key, checked);
        if (fault != ResponderFault.NONE || checked == 0) {
            return fault;
        }
        CopyResult result =
                grant.region().copyIn(grant.offset(), segment, packet.payloadOffset(), packet.payloadBytes());
        return switch (Moved.of(result)) {
            case DONE -> ResponderFault.NONE;
            case NOT_NOW -> ResponderFault.NOT_READY;
            default -> ResponderFault.OPERATION;
        };
    }

    /** Checks the key of a Write. A Write of 0 bytes needs no key. */
    private ResponderFault checkWrite(long address, int key, long checked) {
        if (checked == 0) {
            return ResponderFault.NONE;
        }
        Verdict verdict = owner.access().check(key, oneShot.write(), address, checked, AccessRight.REMOTE_WRITE, grant);
        if (verdict != Verdict.OK) {
            return ResponderFault.of(verdict);
        }
        return grant.oneShot() && !oneShot.claimForWrite(key) ? ResponderFault.ACCESS : ResponderFault.NONE;
    }

    public long stateDigest(long digest) {
        long d = Digest.mix(digest, operation.ordinal());
        return Digest.mix(
                Digest.mix(Digest.mix(d, writeAddress), writeLeft), writeBytes << 32 | writeKey & 0xffff_ffffL);
    }
}
