package io.verbena.iwarp;

import io.verbena.memory.AtomicOutcome;
import io.verbena.memory.AtomicResult;
import io.verbena.memory.Verdict;
import io.verbena.queue.WorkTally;
import io.verbena.survival.RequestKind;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionStatus;
import io.verbena.wire.AtomicOpcode;
import io.verbena.wire.AtomicRequest;
import io.verbena.wire.ReadRequest;
import io.verbena.wire.TerminateCode;
import io.verbena.wire.Ulpdu;
import io.verbena.work.Grant;
import io.verbena.work.Moved;
import java.lang.foreign.MemorySegment;

/**
 * Receives the peer's Reads and atomics. A Read is checked and queued in {@link InboundReads}; {@link AnswerFrames} builds its
 * response later. An atomic is executed at once, and only its result is queued.
 */
final class ReadResponder {

    private final StreamContext context;
    private final ReceiveState progress;
    private final InboundReads inbound;
    private final WorkTally tally;
    private final Grant grant = new Grant();
    private final ReadRequest readRequest = new ReadRequest();
    private final AtomicRequest atomicRequest = new AtomicRequest();
    private final AtomicResult atomicResult = new AtomicResult();

    ReadResponder(StreamContext context, ReceiveState progress) {
        this.context = context;
        this.progress = progress;
        inbound = context.inbound();
        tally = context.queuePair().queues().tally();
    }

    Moved read(Ulpdu u, MemorySegment segment) {
        readRequest.wrap(segment, u.payloadOffset());
        long length = readRequest.rdmardsz();
        boolean oneShot = false;
        if (length > 0) {
            if (inbound.full()) {
                context.state().violation(TerminateCode.DDP_UNTAGGED_NO_BUFFER, u, segment);
                return Moved.DONE;
            }
            Verdict verdict = context.state().peerMayRead() ? checkRead(length) : Verdict.NO_RIGHT;
            if (!verdict.ok() && verdict != Verdict.NOT_NOW) {
                context.state().violation(Faults.ofRead(verdict), u, segment);
                return Moved.DONE;
            }
            oneShot = grant.oneShot();
            if (verdict.ok()) {
                grant.prefetch(length);
            }
        }
        progress.readMsn++;
        inbound.addRead(
                readRequest.srcStag(),
                readRequest.srcTo(),
                length,
                readRequest.sinkStag(),
                readRequest.sinkTo(),
                oneShot);
        // A Read of the set-up, or a probe, is not one of the peer's program.
        if (length > 0 || readRequest.srcStag() != RequestFrames.ANY_STAG) {
            tally.serve(CompletionOpcode.READ, length);
            count(RequestKind.READ, 0);
        }
        return Moved.DONE;
    }

    private Verdict checkRead(long length) {
        return context.access()
                .check(
                        readRequest.srcStag(),
                        context.oneShot().read(inbound.next()),
                        readRequest.srcTo(),
                        length,
                        AccessRight.REMOTE_READ,
                        grant);
    }

    Moved atomic(Ulpdu u, MemorySegment segment) {
        atomicRequest.wrap(segment, u.payloadOffset());
        Verdict verdict = context.state().peerMayDoAtomics() ? checkAtomic() : Verdict.NO_RIGHT;
        if (verdict == Verdict.NOT_NOW) {
            return Moved.NOT_NOW;
        }
        if (!verdict.ok()) {
            context.state().violation(Faults.ofRead(verdict), u, segment);
            return Moved.DONE;
        }
        AtomicOutcome outcome = execute(u, segment);
        if (outcome == AtomicOutcome.NOT_NOW) {
            return Moved.NOT_NOW;
        }
        if (outcome != AtomicOutcome.DONE) {
            // RFC 7306 section 8.2 [4, 5]: an address that is not 64-bit aligned ends this stream, memory unchanged.
            context.state().violation(TerminateCode.RDMAP_STREAM_CATASTROPHIC, u, segment);
            return Moved.DONE;
        }
        progress.readMsn++;
        if (grant.oneShot()) {
            context.oneShot().endAtomic(atomicRequest.remoteStag(), inbound.next());
        }
        inbound.addAtomic(atomicRequest.requestIdentifier(), atomicResult.original());
        tally.serve(operation(), Long.BYTES);
        count(RequestKind.ATOMIC, atomicResult.original());
        return Moved.DONE;
    }

    private void count(RequestKind kind, long original) {
        if (context.surviving().isPresent() && !context.surviving().get().onExecuted(kind, original)) {
            context.state().violation(TerminateCode.RDMAP_UNEXPECTED_OPCODE, CompletionStatus.PROTOCOL);
        }
    }

    private CompletionOpcode operation() {
        return atomicRequest.aOpCode() == AtomicOpcode.FETCH_ADD
                ? CompletionOpcode.FETCH_AND_ADD
                : CompletionOpcode.COMPARE_AND_SWAP;
    }

    private Verdict checkAtomic() {
        return context.access()
                .check(
                        atomicRequest.remoteStag(),
                        context.oneShot().atomic(inbound.next()),
                        atomicRequest.remoteTo(),
                        Long.BYTES,
                        AccessRight.REMOTE_ATOMIC,
                        grant);
    }

    private AtomicOutcome execute(Ulpdu u, MemorySegment segment) {
        return switch (atomicRequest.aOpCode()) {
            case FETCH_ADD ->
                grant.region()
                        .fetchAndAdd(
                                grant.offset(),
                                atomicRequest.addOrSwapData(),
                                atomicRequest.addOrSwapMask(),
                                atomicResult);
            case CMP_SWAP ->
                grant.region()
                        .compareAndSwap(
                                grant.offset(),
                                atomicRequest.compareData(),
                                atomicRequest.compareMask(),
                                atomicRequest.addOrSwapData(),
                                atomicRequest.addOrSwapMask(),
                                atomicResult);
            // RFC 7306 section 5.2.1 [8]: an operation that is not supported is an error.
            case UNSUPPORTED -> {
                context.state().violation(TerminateCode.RDMAP_UNEXPECTED_OPCODE, u, segment);
                yield AtomicOutcome.LOST;
            }
        };
    }
}
