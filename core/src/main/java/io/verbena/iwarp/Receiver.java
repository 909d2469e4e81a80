package io.verbena.iwarp;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.base.Digest;
import io.verbena.iwarp.FailedRequestFinder.Match;
import io.verbena.iwarp.early.EarlyMessages;
import io.verbena.iwarp.early.UlpduSink;
import io.verbena.memory.Region;
import io.verbena.queue.Arrival;
import io.verbena.queue.ReceiveQueue;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.WorkQueues;
import io.verbena.queue.Wqe;
import io.verbena.survival.RequestKind;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.WorkOpcode;
import io.verbena.wire.AtomicResponse;
import io.verbena.wire.ImmediateData;
import io.verbena.wire.TerminateCode;
import io.verbena.wire.TerminateReader;
import io.verbena.wire.Ulpdu;
import io.verbena.work.KeyWork;
import io.verbena.work.Moved;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The receiving half of a stream above MPA: DDP placement and RDMAP delivery, which are separate steps.
 *
 * <p>{@link #admit} checks a segment ({@link SegmentCheck}). {@link #place} copies a part of its payload to its buffer, in any
 * order and possibly more than once ({@link Placement}). {@link #deliver} processes the segment, in stream order and once. A
 * fault becomes a violation in the {@link StreamState}, and the segment has no effect.
 */
final class Receiver extends UlpduSink {

    private final StreamContext context;
    private final StreamState state;
    private final SegmentCheck check;
    private final Placement placement;
    private final ReadResponder responder;
    private final WorkQueues queues;
    private final ReceiveQueue receives;
    private final WorkQueue work;
    private final Sender sender;
    private final Optional<SurvivingWork> surviving;
    private final KeyWork keyWork;

    private final ReceiveState progress;
    private final Wqe wqe = new Wqe();
    private final Arrival arrival = new Arrival();
    private final AtomicResponse atomicResponse = new AtomicResponse();
    private final ImmediateData immediateData = new ImmediateData();
    private final TerminateReader terminate = new TerminateReader();
    private final MemorySegment word = MemorySegment.ofArray(new long[1]);

    /** Whether a Write has begun and not ended. */
    private boolean inWrite;
    /** Whether the last message was a Write, which Immediate Data may follow. */
    private boolean afterWrite;
    /** Length so far of the last Write. */
    private long writeBytes;

    Receiver(StreamContext context, Sender sender) {
        this.context = context;
        this.sender = sender;
        state = context.state();
        surviving = context.surviving();
        queues = context.queuePair().queues();
        receives = queues.receive();
        work = queues.send();
        keyWork = new KeyWork(context.queuePair());
        progress = new ReceiveState(context.settings());
        check = new SegmentCheck(context, progress, sender);
        placement = new Placement(context);
        responder = new ReadResponder(context, progress);
        afterWrite = surviving.isPresent() && surviving.get().afterWrite();
        writeBytes = surviving.isPresent() ? surviving.get().writeBytes() : 0;
    }

    @Override
    public boolean admit(Ulpdu u, MemorySegment segment) {
        Optional<TerminateCode> fault = check.check(u);
        if (fault.isEmpty()) {
            return true;
        }
        if (fault.get() == TerminateCode.DDP_UNTAGGED_TOO_LONG) {
            receives.at(receives.retired(), wqe).fail(CompletionStatus.LOCAL_LENGTH);
        }
        state.violation(fault.get(), u, segment);
        return false;
    }

    @Override
    public boolean admits(Ulpdu u) {
        return check.check(u).isEmpty();
    }

    // Placement.

    @Override
    public Moved place(Ulpdu u, long done, MemorySegment source, long sourceOffset, int count) {
        return placement.place(u, done, source, sourceOffset, count);
    }

    @Override
    public Moved placeEarly(Ulpdu u, MemorySegment source) {
        return placement.placeEarly(u, source, progress.sendMsn, progress.rtrSendPending());
    }

    @Override
    public boolean enterEarly(Ulpdu u, MemorySegment segment) {
        return context.inbound().enterEarly(u, segment, u.msn() - progress.readMsn);
    }

    @Override
    public EarlyMessages entered() {
        return context.inbound().entered();
    }

    @Override
    public ByteBuffer view(Ulpdu u, long done, int count) {
        return placement.view(u, done, count);
    }

    @Override
    public long viewAddress() {
        return placement.viewAddress();
    }

    // Whole messages in short form.

    /**
     * Places and delivers a message in one step.
     *
     * @return false if anything is not as usual, and nothing has happened but that bytes of the buffer have changed:
     *     the FPDU of the message has the same outcome, or shows the fault
     */
    boolean takeShort(ShortMessage message, int count) {
        return switch (message.opcode()) {
            case WRITE -> takeWrite(message.key(), message.address(), message.memory(), ShortMessage.HEADER, count);
            case SEND ->
                takeSend(Integer.toUnsignedLong(progress.sendMsn), message.memory(), ShortMessage.HEADER, count, false);
            case SEND_SE ->
                takeSend(Integer.toUnsignedLong(progress.sendMsn), message.memory(), ShortMessage.HEADER, count, true);
            default -> false;
        };
    }

    @Override
    public boolean takeWrite(int stag, long to, MemorySegment source, long sourceOffset, int count) {
        if (state.ended()
                || inWrite
                || progress.first
                || count <= 0
                || !state.peerMayWrite()
                || !placement.placeWrite(stag, to, source, sourceOffset, count)) {
            return false;
        }
        writeBytes = count;
        afterWrite = true;
        Region.publish();
        context.oneShot().endWrite();
        queues.tally().serve(CompletionOpcode.WRITE, count);
        state.farewells().onMessage();
        count(RequestKind.WRITE);
        return true;
    }

    @Override
    public boolean takeSend(long queueAndMsn, MemorySegment source, long sourceOffset, int count, boolean solicited) {
        if (state.ended()
                || queueAndMsn != Integer.toUnsignedLong(progress.sendMsn)
                || inWrite
                || progress.first
                || count <= 0
                || !receives.provide(receives.retired())
                || !queues.mayCompleteReceive()
                || !placement.placeSend(source, sourceOffset, count)) {
            return false;
        }
        arrival.of(CompletionOpcode.RECEIVE, count, solicited);
        Region.publish();
        progress.sendMsn++;
        afterWrite = false;
        completeReceive();
        state.farewells().onMessage();
        return true;
    }

    @Override
    public void onHint(int count) {
        if (surviving.isPresent() && count != 0 && !state.ended()) {
            acknowledged(surviving.get(), count);
        }
    }

    /** The number of the next Send in order. */
    int nextSend() {
        return progress.sendMsn;
    }

    // Delivery.

    @Override
    public Moved deliver(Ulpdu u, MemorySegment segment) {
        Moved moved = switch (u.opcode()) {
            case WRITE -> deliverWrite(u);
            case READ_RESPONSE -> deliverReadResponse(u);
            case READ_REQUEST -> responder.read(u, segment);
            case ATOMIC_REQUEST -> responder.atomic(u, segment);
            case ATOMIC_RESPONSE -> deliverAtomicResponse(u, segment);
            case TERMINATE -> deliverTerminate(u, segment);
            case IMMEDIATE, IMMEDIATE_SE -> deliverImmediate(u, segment);
            default -> deliverSend(u, segment);
        };
        if (moved == Moved.DONE && !state.ended()) {
            progress.first = false;
            state.farewells().onDelivered(u);
        }
        return moved;
    }

    private Moved deliverWrite(Ulpdu u) {
        if (surviving.isPresent() && isOfProtocol(u)) {
            return deliverOfProtocol(u, surviving.get());
        }
        if (!inWrite) {
            writeBytes = 0;
        }
        writeBytes += u.payloadLength();
        inWrite = !u.last();
        // A Write of the set-up, or a probe, is not one that immediate data belongs to.
        afterWrite = u.last() && (writeBytes > 0 || u.stag() != RequestFrames.ANY_STAG);
        if (u.last()) {
            Region.publish();
            context.oneShot().endWrite();
        }
        if (afterWrite) {
            queues.tally().serve(CompletionOpcode.WRITE, writeBytes);
            count(RequestKind.WRITE);
        }
        return Moved.DONE;
    }

    /** Whether it is a Write of the protocol, and no request of the program of the peer. */
    private boolean isOfProtocol(Ulpdu u) {
        return !inWrite && u.last() && u.payloadLength() == 0 && u.stag() == RequestFrames.ANY_STAG;
    }

    private Moved deliverOfProtocol(Ulpdu u, SurvivingWork requests) {
        if (SurvivingWork.isAcknowledgment(u.to())) {
            acknowledged(requests, u.to());
        }
        return Moved.DONE;
    }

    /** The peer states what it has executed, in the lower 32 bits. */
    private void acknowledged(SurvivingWork requests, long count) {
        if (requests.onAcknowledged(count)) {
            sender.onAcknowledged();
        } else {
            state.violation(TerminateCode.RDMAP_UNEXPECTED_OPCODE, CompletionStatus.PROTOCOL);
        }
    }

    /** A request of the peer was executed. */
    private void count(RequestKind kind) {
        if (surviving.isEmpty() || state.ended()) {
            return;
        }
        surviving.get().onMessageEnd(afterWrite, writeBytes);
        if (!surviving.get().onExecuted(kind, 0)) {
            state.violation(TerminateCode.RDMAP_UNEXPECTED_OPCODE, CompletionStatus.PROTOCOL);
        }
    }

    private Moved deliverReadResponse(Ulpdu u) {
        if (check.answersRtr(u)) {
            progress.rtrAnswerPending = false;
            sender.onRtrAnswered();
            return Moved.DONE;
        }
        if (check.answersProbe(u)) {
            sender.onProbeAnswered();
            return Moved.DONE;
        }
        long read = context.outstanding().oldestRead();
        work.at(read, wqe);
        if (u.last() && wqe.opcode() == WorkOpcode.READ_WITH_INVALIDATE) {
            Moved moved = keyWork.invalidate(wqe.otherKey());
            if (moved == Moved.NOT_NOW) {
                return moved;
            }
            if (moved != Moved.DONE) {
                wqe.fail(CompletionStatus.LOCAL_OPERATION);
                state.localFailure(
                        CompletionStatus.LOCAL_OPERATION,
                        "the key to invalidate after a Read is not valid or belongs to another protection domain");
                return Moved.DONE;
            }
        }
        wqe.progress(wqe.progress() + u.payloadLength());
        if (u.last()) {
            Region.publish();
            sender.onAnswered(read);
        }
        return Moved.DONE;
    }

    private Moved deliverSend(Ulpdu u, MemorySegment segment) {
        if (progress.isRtrSend(u)) {
            progress.sendMsn++;
            return Moved.DONE;
        }
        if (u.last() && u.opcode().invalidates()) {
            // RFC 5040 section 5.3 [10, 11]: the key is invalid before the Send completes, or the stream ends.
            Moved moved = keyWork.invalidateByPeer(u.invalidateStag());
            if (moved == Moved.NOT_NOW) {
                return moved;
            }
            if (moved != Moved.DONE) {
                state.violation(TerminateCode.RDMAP_CANNOT_INVALIDATE, u, segment);
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
        progress.sendMsn++;
        afterWrite = false;
        completeReceive();
        if (!u.opcode().invalidates()) {
            onHint(u.stagField());
        }
        return Moved.DONE;
    }

    @Override
    public void deliverSends(Ulpdu first, int count, int nextMo) {
        if (count > 0) {
            Region.publish();
            progress.sendMsn += count;
            afterWrite = false;
            if (!queues.completeEarlyReceives(count)) {
                overflow();
                return;
            }
            for (int i = 0; i < count && surviving.isPresent(); i++) {
                count(RequestKind.SEND);
            }
        }
        if (nextMo > 0) {
            receives.at(receives.retired(), wqe).progress(nextMo);
        }
        progress.first = false;
        state.farewells().onDelivered(first);
    }

    private void completeReceive() {
        if (!queues.completeReceive(CompletionStatus.SUCCESS, arrival)) {
            overflow();
        }
        count(RequestKind.SEND);
    }

    private void overflow() {
        // The receive keeps its slot, so the next message would use the wrong one: the stream ends here.
        state.aborted("A completion queue of this queue pair overflowed.");
    }

    private Moved deliverImmediate(Ulpdu u, MemorySegment segment) {
        immediateData.wrap(segment, u.payloadOffset());
        arrival.of(
                        afterWrite ? CompletionOpcode.RECEIVE_WRITE_IMMEDIATE : CompletionOpcode.RECEIVE_IMMEDIATE,
                        afterWrite ? writeBytes : 0,
                        u.opcode().solicited())
                .immediate(immediateData.immediateData());
        progress.sendMsn++;
        afterWrite = false;
        completeReceive();
        onHint(u.stagField());
        return Moved.DONE;
    }

    private Moved deliverAtomicResponse(Ulpdu u, MemorySegment segment) {
        atomicResponse.wrap(segment, u.payloadOffset());
        OutstandingReads outstanding = context.outstanding();
        long atomic = outstanding.oldestAtomic();
        if (atomic == OutstandingReads.NONE
                || outstanding.msnOf(atomic) != atomicResponse.originalRequestIdentifier()) {
            state.violation(TerminateCode.DDP_UNTAGGED_MSN_RANGE, u, segment);
            return Moved.DONE;
        }
        work.at(atomic, wqe);
        word.set(JAVA_LONG, 0, atomicResponse.originalRemoteDataValue());
        Moved moved = context.buffers().scatter(wqe, 0, word, 0, Long.BYTES);
        if (moved == Moved.NOT_NOW) {
            return Moved.NOT_NOW;
        }
        if (moved != Moved.DONE) {
            CompletionStatus status =
                    moved == Moved.LOST ? CompletionStatus.LOCAL_MEMORY : CompletionStatus.LOCAL_PROTECTION;
            wqe.fail(status);
            state.localFailure(status, "the result of an atomic cannot be stored in its buffer");
            return Moved.DONE;
        }
        progress.atomicMsn++;
        Region.publish();
        sender.onAnswered(atomic);
        return Moved.DONE;
    }

    private Moved deliverTerminate(Ulpdu u, MemorySegment segment) {
        terminate.read(segment, u.payloadOffset(), u.payloadLength());
        CompletionStatus status = Faults.ofTerminate(terminate.code());
        CompletionStatus oldest = switch (sender.failedRequest(terminate, segment)) {
            case Match.Work(long index) -> {
                work.at(index, wqe).fail(status);
                yield status;
            }
            // The failed work is already complete; the pending work is only flushed.
            case Match.NotPending() -> CompletionStatus.FLUSHED;
            case Match.NotStated() -> status;
        };
        state.terminatedByPeer(terminate.code(), oldest);
        return Moved.DONE;
    }

    /** Whether a message has begun and not ended, so that an end of the stream now is an error. */
    boolean insideMessage() {
        return inWrite
                || receives.posted() > receives.retired()
                        && receives.at(receives.retired(), wqe).progress() > 0;
    }

    long stateDigest(long digest) {
        return Digest.mix(progress.stateDigest(digest, inWrite), writeBytes << 1 | (afterWrite ? 1 : 0));
    }
}
