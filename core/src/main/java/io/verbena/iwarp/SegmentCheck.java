package io.verbena.iwarp;

import io.verbena.iwarp.early.UlpduSink;
import io.verbena.memory.Verdict;
import io.verbena.queue.ReceiveQueue;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.Wqe;
import io.verbena.verbs.AccessRight;
import io.verbena.wire.TerminateCode;
import io.verbena.wire.Ulpdu;
import io.verbena.work.Grant;
import java.util.Optional;

/**
 * Checks a segment of the peer before anything of it is used: its message number and offset, the buffer that it goes to, and
 * the peer's rights. Finds the violation and changes nothing, except that a Write claims a one-shot key.
 */
final class SegmentCheck {

    private static final Optional<TerminateCode> OK = Optional.empty();

    private final StreamContext context;
    private final ReceiveState progress;
    private final Sender sender;
    private final ReceiveQueue receives;
    private final WorkQueue work;
    private final Grant grant = new Grant();
    private final Wqe wqe = new Wqe();

    SegmentCheck(StreamContext context, ReceiveState progress, Sender sender) {
        this.context = context;
        this.progress = progress;
        this.sender = sender;
        receives = context.queuePair().queues().receive();
        work = context.queuePair().queues().send();
    }

    /** The violation in a segment, if there is one. */
    Optional<TerminateCode> check(Ulpdu u) {
        return switch (u.opcode()) {
            case WRITE -> write(u);
            case READ_RESPONSE -> readResponse(u);
            case SEND, SEND_INVALIDATE, SEND_SE, SEND_SE_INVALIDATE, IMMEDIATE, IMMEDIATE_SE -> send(u);
            case READ_REQUEST, ATOMIC_REQUEST -> readQueue(u);
            case ATOMIC_RESPONSE -> atomicResponse(u);
            case TERMINATE -> OK;
            case RESERVED -> Optional.of(TerminateCode.RDMAP_UNEXPECTED_OPCODE);
        };
    }

    private Optional<TerminateCode> write(Ulpdu u) {
        // RFC 5041 section 5.2 [11]: a message of length zero accesses no buffer, so its key is not checked.
        if (u.payloadLength() == 0) {
            return OK;
        }
        if (!context.state().peerMayWrite()) {
            return Optional.of(TerminateCode.RDMAP_ACCESS_RIGHTS);
        }
        // RFC 5041 section 7.1 [6, 7, 8, 9, 10]: STag, stream, bounds and wrap are checked before anything is placed.
        Verdict verdict = context.access()
                .check(u.stag(), context.oneShot().write(), u.to(), u.payloadLength(), AccessRight.REMOTE_WRITE, grant);
        if (!verdict.ok() && verdict != Verdict.NOT_NOW) {
            return Optional.of(Faults.ofWrite(verdict));
        }
        // A message uses one one-shot key; this may be the second.
        return grant.oneShot() && !context.oneShot().claimForWrite(u.stag())
                ? Optional.of(TerminateCode.DDP_TAGGED_INVALID_STAG)
                : OK;
    }

    /** Whether this Read Response answers the RTR frame of this side. */
    boolean answersRtr(Ulpdu u) {
        return progress.answersRtr(u) && sender.rtrSent();
    }

    /** Whether this Read Response answers a keep-alive probe. */
    boolean answersProbe(Ulpdu u) {
        return context.keepAlive().isAnswer(u, context.readSinkStag(), context.outstanding());
    }

    private Optional<TerminateCode> readResponse(Ulpdu u) {
        if (answersRtr(u) || answersProbe(u)) {
            return OK;
        }
        OutstandingReads outstanding = context.outstanding();
        long read = outstanding.oldestRead();
        if (read == OutstandingReads.NONE || u.stag() != context.readSinkStag()) {
            return Optional.of(TerminateCode.DDP_TAGGED_INVALID_STAG);
        }
        work.at(read, wqe);
        long done = wqe.progress();
        // RFC 5040 section 5.2.2 [6]: the response is for the sink buffer of the oldest Read, all of it and no more.
        if (u.to() != RequestFrames.sinkTo(outstanding.msnOf(read)) + done) {
            return Optional.of(TerminateCode.DDP_TAGGED_BASE_OR_BOUNDS);
        }
        long end = done + u.payloadLength();
        boolean fits = u.last() ? end == wqe.length() : end < wqe.length();
        return fits ? OK : Optional.of(TerminateCode.DDP_TAGGED_BASE_OR_BOUNDS);
    }

    private Optional<TerminateCode> send(Ulpdu u) {
        if (progress.isRtrSend(u)) {
            return OK;
        }
        if (u.msn() != progress.sendMsn) {
            return Optional.of(TerminateCode.DDP_UNTAGGED_MSN_RANGE);
        }
        // RFC 5041 section 7.1 [2, 3, 4, 5]: this MSN has a buffer, and offset and length are within it.
        if (!receives.provide(receives.retired())) {
            return Optional.of(TerminateCode.DDP_UNTAGGED_NO_BUFFER);
        }
        receives.at(receives.retired(), wqe);
        if (!UlpduSink.carriesData(u)) {
            return wqe.progress() == 0 && u.mo() == 0 ? OK : Optional.of(TerminateCode.DDP_UNTAGGED_INVALID_MO);
        }
        if (u.mo() != wqe.progress()) {
            return Optional.of(TerminateCode.DDP_UNTAGGED_INVALID_MO);
        }
        return u.mo() + u.payloadLength() > wqe.length() ? Optional.of(TerminateCode.DDP_UNTAGGED_TOO_LONG) : OK;
    }

    private Optional<TerminateCode> readQueue(Ulpdu u) {
        if (u.msn() != progress.readMsn) {
            return Optional.of(TerminateCode.DDP_UNTAGGED_MSN_RANGE);
        }
        if (u.mo() != 0) {
            return Optional.of(TerminateCode.DDP_UNTAGGED_INVALID_MO);
        }
        // RFC 5041 section 7.1 [2], RFC 5040 section 6.1 [5]: beyond the agreed depth queue 1 has no buffer.
        return context.inbound().full() && !progress.mayBeRtrRead(u)
                ? Optional.of(TerminateCode.DDP_UNTAGGED_NO_BUFFER)
                : OK;
    }

    private Optional<TerminateCode> atomicResponse(Ulpdu u) {
        if (u.msn() != progress.atomicMsn) {
            return Optional.of(TerminateCode.DDP_UNTAGGED_MSN_RANGE);
        }
        return u.mo() == 0 ? OK : Optional.of(TerminateCode.DDP_UNTAGGED_INVALID_MO);
    }
}
