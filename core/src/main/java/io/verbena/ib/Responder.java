package io.verbena.ib;

import io.verbena.base.Digest;
import io.verbena.memory.AtomicOutcome;
import io.verbena.memory.AtomicResult;
import io.verbena.memory.Region;
import io.verbena.memory.Verdict;
import io.verbena.queue.Arrival;
import io.verbena.queue.ReceiveQueue;
import io.verbena.queue.Wqe;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionStatus;
import io.verbena.wire.ib.AtomicEth;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbOpcode.Operation;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.Syndrome;
import io.verbena.work.Moved;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The responder of a reliable connection: takes requests in the order of their PSNs, each once, and executes them.
 *
 * <p>A request passes a chain of named checks: its PSN, the order of opcodes, its length, what the queue pair allows, a receive
 * where one is needed, the key. The first check that fails is the answer ({@link ResponderFault}), and nothing of the packet
 * takes effect. What is to be answered is noted here and built by {@link Responses}.
 * Source: InfiniBand architecture specification, volume 1, sections 9.7.4.1, 9.7.5.1 and 9.9.3.
 */
final class Responder {

    private static final long LONGEST_MESSAGE = 1L << 31;

    private final RcSettings settings;
    private final QueuePairWork owner;
    private final ReceiveQueue receives;
    private final Responses responses;
    private final OneShotKeys oneShot;
    private final Wqe wqe = new Wqe();
    private final Arrival arrival = new Arrival();
    private final AtomicResult atomicResult = new AtomicResult();

    private boolean mayWrite = true;
    private boolean mayRead = true;
    private boolean mayDoAtomics = true;

    private int expectedPsn;
    private int msn;

    /** A refusal was sent: what is ahead of the expected PSN is dropped in silence until that one comes. */
    private boolean refused;

    /** The message that is under way: SEND, WRITE or NONE. */
    private Operation message = Operation.NONE;

    private long writeAddress;
    private int writeKey;
    private long writeLeft;
    private long writeBytes;
    private Optional<Failure> failure = Optional.empty();
    private CompletionStatus receiveStatus = CompletionStatus.FLUSHED;

    Responder(RcSettings settings, QueuePairWork owner, Responses responses, OneShotKeys oneShot) {
        this.settings = settings;
        this.owner = owner;
        this.responses = responses;
        this.oneShot = oneShot;
        receives = owner.queues().receive();
        expectedPsn = settings.firstReceivePsn();
    }

    /** What the peer may do on this queue pair, whatever the regions allow. */
    void peerRights(boolean write, boolean read, boolean atomic) {
        mayWrite = write;
        mayRead = read;
        mayDoAtomics = atomic;
    }

    Optional<Failure> failure() {
        return failure;
    }

    /** The status of the receive under way after a failure; the others are flushed. */
    CompletionStatus receiveStatus() {
        return receiveStatus;
    }

    /** A request of the peer. */
    void onRequest(IbPacket packet, MemorySegment segment) {
        int ahead = Psn.distance(packet.bth().psn(), expectedPsn);
        if (ahead > 0) {
            if (!refused) {
                refused = true;
                responses.refuse(Syndrome.NAK_PSN_SEQUENCE, expectedPsn, msn);
            }
        } else if (ahead < 0) {
            onDuplicate(packet);
        } else {
            refused = false;
            ResponderFault fault = execute(packet, segment);
            if (fault != ResponderFault.NONE) {
                refuse(fault);
            }
        }
    }

    private void refuse(ResponderFault fault) {
        if (fault == ResponderFault.NOT_READY) {
            refused = true;
            responses.refuse(Syndrome.rnrNak(settings.receiverNotReadyCode()), expectedPsn, msn);
            return;
        }
        if (fault.syndrome() != 0) {
            responses.refuse(fault.syndrome(), expectedPsn, msn);
        }
        receiveStatus = fault == ResponderFault.TOO_LONG ? CompletionStatus.LOCAL_LENGTH : CompletionStatus.FLUSHED;
        failure = Optional.of(fault.failure());
    }

    // Checks.

    private ResponderFault execute(IbPacket packet, MemorySegment segment) {
        IbOpcode opcode = packet.opcode();
        ResponderFault fault = checkOrder(opcode);
        if (fault == ResponderFault.NONE) {
            fault = checkLength(packet, opcode);
        }
        if (fault != ResponderFault.NONE) {
            return fault;
        }
        return switch (opcode.operation()) {
            case SEND -> send(packet, opcode, segment);
            case WRITE -> write(packet, opcode, segment);
            case READ -> read(packet);
            default -> atomic(packet, opcode);
        };
    }

    private ResponderFault checkOrder(IbOpcode opcode) {
        boolean fits = opcode.starts() ? message == Operation.NONE : message == opcode.operation();
        return fits ? ResponderFault.NONE : ResponderFault.OPCODE_ORDER;
    }

    /** Full packets are full and have no padding; the last one has something, an only one may be empty. */
    private ResponderFault checkLength(IbPacket packet, IbOpcode opcode) {
        int bytes = packet.payloadBytes();
        int mtu = settings.mtuBytes();
        boolean right = switch (opcode.position()) {
            case FIRST, MIDDLE -> bytes == mtu && packet.bth().pad() == 0;
            case LAST -> bytes >= 1 && bytes <= mtu;
            case ONLY -> bytes <= mtu;
        };
        return right ? ResponderFault.NONE : ResponderFault.LENGTH;
    }

    // Sends.

    private ResponderFault send(IbPacket packet, IbOpcode opcode, MemorySegment segment) {
        if (!receives.has(receives.retired())) {
            return ResponderFault.NOT_READY;
        }
        receives.at(receives.retired(), wqe);
        int done = opcode.starts() ? 0 : wqe.progress();
        if ((long) done + packet.payloadBytes() > wqe.length()) {
            return ResponderFault.TOO_LONG;
        }
        Moved moved = owner.buffers().scatter(wqe, done, segment, packet.payloadOffset(), packet.payloadBytes());
        if (moved != Moved.DONE) {
            return localFault(moved);
        }
        if (opcode.invalidates()) {
            Moved ended = owner.keys().invalidateByPeer(packet.ieth().rKey());
            if (ended != Moved.DONE) {
                return ended == Moved.NOT_NOW ? ResponderFault.NOT_READY : ResponderFault.INVALIDATE;
            }
        }
        wqe.progress(done + packet.payloadBytes());
        message = opcode.ends() ? Operation.NONE : Operation.SEND;
        if (opcode.ends()) {
            arrival.of(CompletionOpcode.RECEIVE, wqe.progress(), packet.bth().se());
            if (opcode.invalidates()) {
                arrival.invalidatedKey(packet.ieth().rKey());
            }
            return delivered(packet, opcode);
        }
        return done(packet);
    }

    private static ResponderFault localFault(Moved moved) {
        // Memory that is on its way is there when the peer tries again.
        return moved == Moved.NOT_NOW ? ResponderFault.NOT_READY : ResponderFault.OPERATION;
    }

    private ResponderFault delivered(IbPacket packet, IbOpcode opcode) {
        if (opcode.immediate()) {
            arrival.immediate(packet.immDt().immediate());
        }
        Region.publish();
        msn = Psn.plus(msn, 1);
        ResponderFault answer = done(packet);
        if (!owner.queues().completeReceive(CompletionStatus.SUCCESS, arrival)) {
            return ResponderFault.OPERATION;
        }
        return answer;
    }

    /** The packet has taken effect. */
    private ResponderFault done(IbPacket packet) {
        if (packet.bth().a()) {
            responses.acknowledge(expectedPsn, msn);
        }
        expectedPsn = Psn.plus(expectedPsn, 1);
        return ResponderFault.NONE;
    }

    // Writes.

    private ResponderFault write(IbPacket packet, IbOpcode opcode, MemorySegment segment) {
        if (!mayWrite) {
            return ResponderFault.NOT_ALLOWED;
        }
        long address = opcode.starts() ? packet.reth().va() : writeAddress;
        int key = opcode.starts() ? packet.reth().rKey() : writeKey;
        long whole = opcode.starts() ? Integer.toUnsignedLong(packet.reth().dmaLength()) : writeLeft;
        int bytes = packet.payloadBytes();
        if (whole > LONGEST_MESSAGE || (opcode.ends() ? bytes != whole : bytes >= whole)) {
            return ResponderFault.LENGTH;
        }
        if (opcode.completesReceive() && !receives.has(receives.retired())) {
            return ResponderFault.NOT_READY;
        }
        ResponderFault fault = placeWrite(packet, segment, address, key, opcode.starts() ? whole : bytes);
        if (fault != ResponderFault.NONE) {
            return fault;
        }
        writeAddress = address + bytes;
        writeKey = key;
        writeLeft = whole - bytes;
        writeBytes = opcode.starts() ? whole : writeBytes;
        message = opcode.ends() ? Operation.NONE : Operation.WRITE;
        if (!opcode.ends()) {
            return done(packet);
        }
        oneShot.writeOver();
        if (opcode.immediate()) {
            arrival.of(
                    CompletionOpcode.RECEIVE_WRITE_IMMEDIATE,
                    writeBytes,
                    packet.bth().se());
            return delivered(packet, opcode);
        }
        Region.publish();
        msn = Psn.plus(msn, 1);
        return done(packet);
    }

    /** Checks the key, for the whole message at its first packet, and places the payload. A Write of nothing needs no key. */
    private ResponderFault placeWrite(IbPacket packet, MemorySegment segment, long address, int key, long checked) {
        if (checked == 0) {
            return ResponderFault.NONE;
        }
        Verdict verdict = owner.check()
                .check(
                        owner.regions(),
                        key,
                        owner.domain(),
                        settings.localQp(),
                        oneShot.write(),
                        address,
                        checked,
                        AccessRight.REMOTE_WRITE);
        if (verdict != Verdict.OK) {
            return fault(verdict);
        }
        if (owner.check().oneShot() && !oneShot.claimed(key)) {
            return ResponderFault.ACCESS;
        }
        Moved moved = Moved.of(owner.check()
                .region()
                .copyIn(owner.check().offset(), segment, packet.payloadOffset(), packet.payloadBytes()));
        return moved == Moved.DONE ? ResponderFault.NONE : localFault(moved);
    }

    private static ResponderFault fault(Verdict verdict) {
        return switch (verdict) {
            case OK -> ResponderFault.NONE;
            case NOT_NOW -> ResponderFault.NOT_READY;
            case LOST -> ResponderFault.OPERATION;
            default -> ResponderFault.ACCESS;
        };
    }

    // Reads and atomics.

    private ResponderFault read(IbPacket packet) {
        long length = Integer.toUnsignedLong(packet.reth().dmaLength());
        if (!mayRead || settings.inboundReads() == 0) {
            return ResponderFault.NOT_ALLOWED;
        }
        if (length > LONGEST_MESSAGE) {
            return ResponderFault.LENGTH;
        }
        if (responses.reads().full()) {
            return ResponderFault.TOO_MANY_READS;
        }
        long address = packet.reth().va();
        int key = packet.reth().rKey();
        if (length > 0) {
            Verdict verdict = checkRead(key, address, length, responses.reads().next());
            if (verdict != Verdict.OK && verdict != Verdict.NOT_NOW) {
                return fault(verdict);
            }
        }
        int count = (int) Math.max(1, (length + settings.mtuBytes() - 1) / settings.mtuBytes());
        msn = Psn.plus(msn, 1);
        responses.reads().addRead(expectedPsn, count, address, key, (int) length, msn);
        expectedPsn = Psn.plus(expectedPsn, count);
        return ResponderFault.NONE;
    }

    private Verdict checkRead(int key, long address, long length, long index) {
        return owner.check()
                .check(
                        owner.regions(),
                        key,
                        owner.domain(),
                        settings.localQp(),
                        oneShot.read(index),
                        address,
                        length,
                        AccessRight.REMOTE_READ);
    }

    private ResponderFault atomic(IbPacket packet, IbOpcode opcode) {
        AtomicEth request = packet.atomicEth();
        if (!mayDoAtomics || settings.inboundReads() == 0) {
            return ResponderFault.NOT_ALLOWED;
        }
        if (responses.reads().full()) {
            return ResponderFault.TOO_MANY_READS;
        }
        if ((request.va() & Long.BYTES - 1) != 0) {
            return ResponderFault.MISALIGNED;
        }
        long message = oneShot.read(responses.reads().next());
        Verdict verdict = owner.check()
                .check(
                        owner.regions(),
                        request.rKey(),
                        owner.domain(),
                        settings.localQp(),
                        message,
                        request.va(),
                        Long.BYTES,
                        AccessRight.REMOTE_ATOMIC);
        if (verdict != Verdict.OK) {
            return fault(verdict);
        }
        boolean once = owner.check().oneShot();
        AtomicOutcome outcome = operate(opcode, request);
        if (outcome != AtomicOutcome.DONE) {
            return switch (outcome) {
                case NOT_NOW -> ResponderFault.NOT_READY;
                case UNALIGNED -> ResponderFault.MISALIGNED;
                default -> ResponderFault.OPERATION;
            };
        }
        if (once) {
            owner.regions().keys().used(request.rKey(), message);
        }
        msn = Psn.plus(msn, 1);
        responses.reads().addAtomic(expectedPsn, atomicResult.original(), msn);
        expectedPsn = Psn.plus(expectedPsn, 1);
        return ResponderFault.NONE;
    }

    private AtomicOutcome operate(IbOpcode opcode, AtomicEth request) {
        Region region = owner.check().region();
        long offset = owner.check().offset();
        return opcode.operation() == Operation.FETCH_ADD
                ? region.fetchAndAdd(offset, request.swapOrAddData(), 0, atomicResult)
                : region.compareAndSwap(offset, request.compareData(), -1, request.swapOrAddData(), -1, atomicResult);
    }

    // Duplicates.

    /**
     * A request that was executed already. A Send or Write is acknowledged again, up to the last PSN; a Read is read again and
     * an atomic's result sent again, if they are still known; the message under way is not touched.
     */
    private void onDuplicate(IbPacket packet) {
        IbOpcode opcode = packet.opcode();
        if (opcode.operation() == Operation.SEND || opcode.operation() == Operation.WRITE) {
            responses.acknowledge(Psn.plus(expectedPsn, -1), msn);
            return;
        }
        int psn = packet.bth().psn();
        long index = responses.reads().find(psn);
        if (index != ReadResources.NONE && sameRequest(packet, opcode, index, psn)) {
            responses
                    .reads()
                    .answerAgain(index, Psn.distance(psn, responses.reads().firstPsn(index)));
        }
    }

    /** Whether a duplicate asks for what was asked for, or for the rest of it. */
    private boolean sameRequest(IbPacket packet, IbOpcode opcode, long index, int psn) {
        ReadResources reads = responses.reads();
        if (opcode.atomic() || reads.atomic(index)) {
            return opcode.atomic() && reads.atomic(index);
        }
        long skipped = (long) Psn.distance(psn, reads.firstPsn(index)) * settings.mtuBytes();
        return packet.reth().rKey() == reads.key(index)
                && packet.reth().va() == reads.address(index) + skipped
                && Integer.toUnsignedLong(packet.reth().dmaLength())
                        == Integer.toUnsignedLong(reads.length(index)) - skipped;
    }

    long stateDigest(long digest) {
        long d = Digest.mix(digest, (long) expectedPsn << 32 | msn);
        d = Digest.mix(d, message.ordinal() * 2L + (refused ? 1 : 0));
        d = Digest.mix(d, writeAddress);
        return Digest.mix(d, writeLeft);
    }
}
