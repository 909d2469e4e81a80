package io.verbena.iwarp;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.base.Digest;
import io.verbena.iwarp.startup.RtrKind;
import io.verbena.memory.AccessCheck;
import io.verbena.memory.AtomicOutcome;
import io.verbena.memory.AtomicResult;
import io.verbena.memory.Region;
import io.verbena.memory.RegionTable;
import io.verbena.memory.Verdict;
import io.verbena.queue.Arrival;
import io.verbena.queue.ReceiveQueue;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.WorkQueues;
import io.verbena.queue.Wqe;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.WorkOpcode;
import io.verbena.wire.AtomicRequest;
import io.verbena.wire.AtomicResponse;
import io.verbena.wire.ImmediateData;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.ReadRequest;
import io.verbena.wire.TerminateCode;
import io.verbena.wire.TerminateReader;
import io.verbena.wire.Ulpdu;
import io.verbena.work.KeyWork;
import io.verbena.work.LocalBuffers;
import io.verbena.work.Moved;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The receiving half of a stream above MPA: DDP's placement and RDMAP's delivery, two separate things.
 *
 * <p>{@link #admit} checks a segment, {@link #place} puts a run of its payload where it belongs (in any order, also
 * more than once), {@link #deliver} draws the consequences, in stream order and once. Whatever is wrong becomes a
 * violation in the {@link Conversation}, and nothing of the segment takes effect.
 */
final class Receiver extends UlpduSink {

    private final StreamSettings settings;
    private final Placement placement;
    private final Conversation talk;
    private final WorkQueues queues;
    private final ReceiveQueue receives;
    private final WorkQueue work;
    private final RegionTable regions;
    private final AccessCheck check;
    private final int domain;
    private final LocalBuffers buffers;
    private final InboundReads inbound;
    private final OutstandingReads outstanding;
    private final int readSinkStag;
    private final Sender sender;
    private final KeepAlive keepAlive;
    private final KeyUse keys;
    private final KeyWork keyWork;

    private final Wqe wqe = new Wqe();
    private final Arrival arrival = new Arrival();
    private final ReadRequest readRequest = new ReadRequest();
    private final AtomicRequest atomicRequest = new AtomicRequest();
    private final AtomicResponse atomicResponse = new AtomicResponse();
    private final AtomicResult atomicResult = new AtomicResult();
    private final ImmediateData immediateData = new ImmediateData();
    private final TerminateReader terminate = new TerminateReader();
    private final MemorySegment word = MemorySegment.ofArray(new long[1]);

    private int sendMsn = 1;
    private int readMsn = 1;
    private int atomicMsn = 1;
    private boolean first = true;
    private boolean rtrAnswerDue;
    private boolean inWrite;
    private boolean behindWrite;
    private long writeBytes;

    Receiver(
            StreamSettings settings,
            Conversation talk,
            WorkQueues queues,
            RegionTable regions,
            AccessCheck check,
            int domain,
            LocalBuffers buffers,
            InboundReads inbound,
            OutstandingReads outstanding,
            int readSinkStag,
            Sender sender,
            KeepAlive keepAlive,
            KeyUse keys,
            KeyWork keyWork) {
        this.settings = settings;
        this.talk = talk;
        this.queues = queues;
        this.receives = queues.receive();
        this.work = queues.send();
        this.regions = regions;
        this.check = check;
        this.domain = domain;
        this.buffers = buffers;
        this.inbound = inbound;
        this.outstanding = outstanding;
        this.readSinkStag = readSinkStag;
        this.sender = sender;
        this.keepAlive = keepAlive;
        this.keys = keys;
        this.keyWork = keyWork;
        this.placement = new Placement(talk, queues, regions, check, domain, buffers, outstanding, readSinkStag, keys);
        this.rtrAnswerDue = settings.initiator()
                && settings.rtr().filter(RtrKind.READ::equals).isPresent();
    }

    // Checks.

    @Override
    boolean admit(Ulpdu u, MemorySegment segment) {
        TerminateCode fault = switch (u.opcode()) {
            case WRITE -> checkWrite(u);
            case READ_RESPONSE -> checkReadResponse(u);
            case SEND, SEND_INVALIDATE, SEND_SE, SEND_SE_INVALIDATE, IMMEDIATE, IMMEDIATE_SE -> checkSend(u);
            case READ_REQUEST, ATOMIC_REQUEST -> checkReadQueue(u);
            case ATOMIC_RESPONSE -> checkAtomicResponse(u);
            case TERMINATE -> TerminateCode.UNKNOWN;
            case RESERVED -> TerminateCode.RDMAP_UNEXPECTED_OPCODE;
        };
        if (fault == TerminateCode.UNKNOWN) {
            return true;
        }
        talk.violation(fault, u, segment);
        return false;
    }

    private TerminateCode checkWrite(Ulpdu u) {
        // RFC 5041 section 5.2 [11]: a message of length zero touches no buffer, so no key is looked at.
        if (u.payloadLength() == 0) {
            return TerminateCode.UNKNOWN;
        }
        if (!talk.peerMayWrite()) {
            return TerminateCode.RDMAP_ACCESS_RIGHTS;
        }
        // RFC 5041 section 7.1 [6, 7, 8, 9, 10]: STag, stream, bounds and wrap are checked before anything is placed.
        Verdict verdict = check.check(
                regions,
                u.stag(),
                domain,
                keys.queuePair(),
                keys.write(),
                u.to(),
                u.payloadLength(),
                AccessRight.REMOTE_WRITE);
        if (!verdict.ok() && verdict != Verdict.NOT_NOW) {
            return Faults.ofWrite(verdict);
        }
        // A message uses one one-shot key; this may be the second.
        return check.oneShot() && !keys.claimed(u.stag())
                ? TerminateCode.DDP_TAGGED_INVALID_STAG
                : TerminateCode.UNKNOWN;
    }

    private TerminateCode checkReadResponse(Ulpdu u) {
        if (answersRtr(u) || keepAlive.isAnswer(u, readSinkStag, outstanding)) {
            return TerminateCode.UNKNOWN;
        }
        long read = outstanding.oldest(false);
        if (read == OutstandingReads.NONE || u.stag() != readSinkStag) {
            return TerminateCode.DDP_TAGGED_INVALID_STAG;
        }
        work.at(read, wqe);
        long done = wqe.progress();
        // RFC 5040 section 5.2.2 [6]: the answer is for the sink buffer of the oldest Read, all of it and no more.
        if (u.to() != RequestFrames.sinkTo(outstanding.msnOf(read)) + done) {
            return TerminateCode.DDP_TAGGED_BASE_OR_BOUNDS;
        }
        long behind = done + u.payloadLength();
        boolean fits = u.last() ? behind == wqe.length() : behind < wqe.length();
        return fits ? TerminateCode.UNKNOWN : TerminateCode.DDP_TAGGED_BASE_OR_BOUNDS;
    }

    private boolean answersRtr(Ulpdu u) {
        return rtrAnswerDue && u.payloadLength() == 0 && u.last() && sender.rtrLeft();
    }

    private TerminateCode checkSend(Ulpdu u) {
        if (swallowedRtr(u)) {
            return TerminateCode.UNKNOWN;
        }
        if (u.msn() != sendMsn) {
            return TerminateCode.DDP_UNTAGGED_MSN_RANGE;
        }
        // RFC 5041 section 7.1 [2, 3, 4, 5]: a buffer is there for this MSN, and offset and length stay inside it.
        if (!receives.has(receives.retired())) {
            return TerminateCode.DDP_UNTAGGED_NO_BUFFER;
        }
        receives.at(receives.retired(), wqe);
        if (!carriesData(u)) {
            return wqe.progress() == 0 && u.mo() == 0 ? TerminateCode.UNKNOWN : TerminateCode.DDP_UNTAGGED_INVALID_MO;
        }
        if (u.mo() != wqe.progress()) {
            return TerminateCode.DDP_UNTAGGED_INVALID_MO;
        }
        return u.mo() + u.payloadLength() > wqe.length() ? TerminateCode.DDP_UNTAGGED_TOO_LONG : TerminateCode.UNKNOWN;
    }

    private TerminateCode checkReadQueue(Ulpdu u) {
        if (u.msn() != readMsn) {
            return TerminateCode.DDP_UNTAGGED_MSN_RANGE;
        }
        if (u.mo() != 0) {
            return TerminateCode.DDP_UNTAGGED_INVALID_MO;
        }
        // RFC 5041 section 7.1 [2], RFC 5040 section 6.1 [5]: beyond the agreed depth there is no buffer on queue 1.
        return inbound.full() && !mayBeRtrRead(u) ? TerminateCode.DDP_UNTAGGED_NO_BUFFER : TerminateCode.UNKNOWN;
    }

    /** Whether this may be an RTR frame, which asks for nothing and is answered even when no Reads were agreed. */
    private boolean mayBeRtrRead(Ulpdu u) {
        return first
                && !settings.initiator()
                && u.opcode() == RdmapOpcode.READ_REQUEST
                && settings.rtr().filter(RtrKind.READ::equals).isPresent();
    }

    private TerminateCode checkAtomicResponse(Ulpdu u) {
        if (u.msn() != atomicMsn) {
            return TerminateCode.DDP_UNTAGGED_MSN_RANGE;
        }
        return u.mo() == 0 ? TerminateCode.UNKNOWN : TerminateCode.DDP_UNTAGGED_INVALID_MO;
    }

    private boolean swallowedRtr(Ulpdu u) {
        return u.payloadLength() == 0 && u.last() && swallowsRtr();
    }

    /** Whether the first FPDU is still to come and may be a Send that is an RTR frame. */
    private boolean swallowsRtr() {
        // RFC 6581 section 5 [note]: the Send that is an RTR frame is not told to the application and takes no receive.
        return first
                && !settings.initiator()
                && settings.rtr().filter(RtrKind.SEND::equals).isPresent();
    }

    // Placement.

    @Override
    Moved place(Ulpdu u, long done, MemorySegment source, long sourceOffset, int count) {
        return placement.place(u, done, source, sourceOffset, count);
    }

    @Override
    Moved placeEarly(Ulpdu u, MemorySegment source) {
        return placement.placeEarly(u, source, sendMsn, swallowsRtr());
    }

    @Override
    ByteBuffer view(Ulpdu u, long done, int count) {
        return placement.view(u, done, count);
    }

    @Override
    long viewAddress() {
        return placement.viewAddress();
    }

    // Delivery.

    @Override
    Moved deliver(Ulpdu u, MemorySegment segment) {
        Moved moved = switch (u.opcode()) {
            case WRITE -> deliverWrite(u);
            case READ_RESPONSE -> deliverReadResponse(u);
            case READ_REQUEST -> deliverReadRequest(u, segment);
            case ATOMIC_REQUEST -> deliverAtomicRequest(u, segment);
            case ATOMIC_RESPONSE -> deliverAtomicResponse(u, segment);
            case TERMINATE -> deliverTerminate(u, segment);
            case IMMEDIATE, IMMEDIATE_SE -> deliverImmediate(u, segment);
            default -> deliverSend(u, segment);
        };
        if (moved == Moved.DONE && !talk.ended()) {
            first = false;
            talk.parting().heard(u);
        }
        return moved;
    }

    private Moved deliverWrite(Ulpdu u) {
        if (!inWrite) {
            writeBytes = 0;
        }
        writeBytes += u.payloadLength();
        inWrite = !u.last();
        behindWrite = u.last();
        if (u.last()) {
            Region.publish();
            keys.writeOver();
        }
        return Moved.DONE;
    }

    private Moved deliverReadResponse(Ulpdu u) {
        if (answersRtr(u)) {
            rtrAnswerDue = false;
            sender.rtrAnswered();
            return Moved.DONE;
        }
        if (keepAlive.isAnswer(u, readSinkStag, outstanding)) {
            sender.probeAnswered();
            return Moved.DONE;
        }
        long read = outstanding.oldest(false);
        work.at(read, wqe);
        if (u.last() && wqe.opcode() == WorkOpcode.READ_WITH_INVALIDATE) {
            Moved moved = keyWork.invalidate(wqe.otherKey());
            if (moved == Moved.NOT_NOW) {
                return moved;
            }
            if (moved != Moved.DONE) {
                wqe.notes(1 + CompletionStatus.LOCAL_OPERATION.ordinal());
                talk.localFailure(
                        CompletionStatus.LOCAL_OPERATION,
                        "the key to invalidate after a Read is not ours or not valid");
                return Moved.DONE;
            }
        }
        wqe.progress(wqe.progress() + u.payloadLength());
        if (u.last()) {
            Region.publish();
            sender.answered(read);
        }
        return Moved.DONE;
    }

    private Moved deliverSend(Ulpdu u, MemorySegment segment) {
        if (swallowedRtr(u)) {
            sendMsn++;
            return Moved.DONE;
        }
        if (u.last() && u.opcode().invalidates()) {
            // RFC 5040 section 5.3 [10, 11]: the key dies before the Send is told, or the stream ends.
            Moved moved = keyWork.invalidateByPeer(u.invalidateStag());
            if (moved == Moved.NOT_NOW) {
                return moved;
            }
            if (moved != Moved.DONE) {
                talk.violation(TerminateCode.RDMAP_CANNOT_INVALIDATE, u, segment);
                return Moved.DONE;
            }
        }
        receives.at(receives.retired(), wqe);
        wqe.progress(wqe.progress() + u.payloadLength());
        if (!u.last()) {
            return Moved.DONE;
        }
        arrival.of(CompletionOpcode.RECEIVE, wqe.progress(), u.opcode().solicited());
        if (u.opcode().invalidates()) {
            arrival.invalidatedKey(u.invalidateStag());
        }
        Region.publish();
        sendMsn++;
        behindWrite = false;
        return completeReceive();
    }

    private Moved completeReceive() {
        if (!queues.completeReceive(CompletionStatus.SUCCESS, arrival)) {
            // The receive stays in its place, so the next message would go to the wrong one: it ends here.
            talk.aborted("A completion queue of this queue pair overflowed.");
        }
        return Moved.DONE;
    }

    private Moved deliverImmediate(Ulpdu u, MemorySegment segment) {
        immediateData.wrap(segment, u.payloadOffset());
        arrival.of(
                        behindWrite ? CompletionOpcode.RECEIVE_WRITE_IMMEDIATE : CompletionOpcode.RECEIVE_IMMEDIATE,
                        behindWrite ? writeBytes : 0,
                        u.opcode().solicited())
                .immediate(immediateData.immediateData());
        sendMsn++;
        behindWrite = false;
        return completeReceive();
    }

    private Moved deliverReadRequest(Ulpdu u, MemorySegment segment) {
        readRequest.wrap(segment, u.payloadOffset());
        long length = readRequest.rdmardsz();
        boolean oneShot = false;
        if (length > 0) {
            if (inbound.full()) {
                talk.violation(TerminateCode.DDP_UNTAGGED_NO_BUFFER, u, segment);
                return Moved.DONE;
            }
            Verdict verdict = talk.peerMayRead()
                    ? check.check(
                            regions,
                            readRequest.srcStag(),
                            domain,
                            keys.queuePair(),
                            keys.read(inbound.next()),
                            readRequest.srcTo(),
                            length,
                            AccessRight.REMOTE_READ)
                    : Verdict.NO_RIGHT;
            if (!verdict.ok() && verdict != Verdict.NOT_NOW) {
                talk.violation(Faults.ofRead(verdict), u, segment);
                return Moved.DONE;
            }
            oneShot = check.oneShot();
            if (verdict.ok()) {
                check.expect(length);
            }
        }
        readMsn++;
        inbound.addRead(
                readRequest.srcStag(),
                readRequest.srcTo(),
                length,
                readRequest.sinkStag(),
                readRequest.sinkTo(),
                oneShot);
        return Moved.DONE;
    }

    private Moved deliverAtomicRequest(Ulpdu u, MemorySegment segment) {
        atomicRequest.wrap(segment, u.payloadOffset());
        Verdict verdict = talk.peerMayDoAtomics()
                ? check.check(
                        regions,
                        atomicRequest.remoteStag(),
                        domain,
                        keys.queuePair(),
                        keys.atomic(inbound.next()),
                        atomicRequest.remoteTo(),
                        Long.BYTES,
                        AccessRight.REMOTE_ATOMIC)
                : Verdict.NO_RIGHT;
        if (verdict == Verdict.NOT_NOW) {
            return Moved.NOT_NOW;
        }
        if (!verdict.ok()) {
            talk.violation(Faults.ofRead(verdict), u, segment);
            return Moved.DONE;
        }
        AtomicOutcome outcome = switch (atomicRequest.aOpCode()) {
            case FETCH_ADD ->
                check.region()
                        .fetchAndAdd(
                                check.offset(),
                                atomicRequest.addOrSwapData(),
                                atomicRequest.addOrSwapMask(),
                                atomicResult);
            case CMP_SWAP ->
                check.region()
                        .compareAndSwap(
                                check.offset(),
                                atomicRequest.compareData(),
                                atomicRequest.compareMask(),
                                atomicRequest.addOrSwapData(),
                                atomicRequest.addOrSwapMask(),
                                atomicResult);
            // RFC 7306 section 5.2.1 [8]: an operation that is not supported is an error.
            case UNSUPPORTED -> {
                talk.violation(TerminateCode.RDMAP_UNEXPECTED_OPCODE, u, segment);
                yield AtomicOutcome.LOST;
            }
        };
        if (outcome == AtomicOutcome.NOT_NOW) {
            return Moved.NOT_NOW;
        }
        if (outcome != AtomicOutcome.DONE) {
            // RFC 7306 section 8.2 [4, 5]: an address that is not 64-bit aligned ends this stream, memory unchanged.
            talk.violation(TerminateCode.RDMAP_STREAM_CATASTROPHIC, u, segment);
            return Moved.DONE;
        }
        readMsn++;
        if (check.oneShot()) {
            keys.atomicOver(atomicRequest.remoteStag());
        }
        inbound.addAtomic(atomicRequest.requestIdentifier(), atomicResult.original());
        return Moved.DONE;
    }

    private Moved deliverAtomicResponse(Ulpdu u, MemorySegment segment) {
        atomicResponse.wrap(segment, u.payloadOffset());
        long atomic = outstanding.oldest(true);
        if (atomic == OutstandingReads.NONE
                || outstanding.msnOf(atomic) != atomicResponse.originalRequestIdentifier()) {
            talk.violation(TerminateCode.DDP_UNTAGGED_MSN_RANGE, u, segment);
            return Moved.DONE;
        }
        work.at(atomic, wqe);
        word.set(JAVA_LONG, 0, atomicResponse.originalRemoteDataValue());
        Moved moved = buffers.scatter(wqe, 0, word, 0, Long.BYTES);
        if (moved == Moved.NOT_NOW) {
            return Moved.NOT_NOW;
        }
        if (moved != Moved.DONE) {
            CompletionStatus status =
                    moved == Moved.LOST ? CompletionStatus.LOCAL_MEMORY : CompletionStatus.LOCAL_PROTECTION;
            wqe.notes(1 + status.ordinal());
            talk.localFailure(status, "the result of an atomic cannot be stored");
            return Moved.DONE;
        }
        atomicMsn++;
        Region.publish();
        sender.answered(atomic);
        return Moved.DONE;
    }

    private Moved deliverTerminate(Ulpdu u, MemorySegment segment) {
        terminate.read(segment, u.payloadOffset(), u.payloadLength());
        CompletionStatus status = Faults.ofTerminate(terminate.code());
        long blamed = sender.blamed(terminate, segment);
        if (blamed >= 0) {
            work.at(blamed, wqe).notes(1 + status.ordinal());
        }
        // What is to blame may be complete already: then what is left was merely flushed.
        talk.terminatedByPeer(terminate.code(), blamed == Blame.NOT_PENDING ? CompletionStatus.FLUSHED : status);
        return Moved.DONE;
    }

    /** Whether a message has begun and not ended, so that an end of the stream now is not in good order. */
    boolean insideMessage() {
        return inWrite
                || receives.posted() > receives.retired()
                        && receives.at(receives.retired(), wqe).progress() > 0;
    }

    long stateDigest(long digest) {
        long d = Digest.mix(digest, (long) sendMsn << 32 | readMsn);
        d = Digest.mix(d, (long) atomicMsn << 32 | (inWrite ? 1 : 0) | (first ? 2 : 0) | (rtrAnswerDue ? 4 : 0));
        return Digest.mix(d, writeBytes << 1 | (behindWrite ? 1 : 0));
    }
}
