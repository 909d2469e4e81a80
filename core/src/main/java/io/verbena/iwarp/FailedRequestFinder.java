package io.verbena.iwarp;

import io.verbena.queue.WorkQueue;
import io.verbena.queue.Wqe;
import io.verbena.verbs.WorkOpcode;
import io.verbena.wire.DdpTagged;
import io.verbena.wire.DdpUntagged;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.ReadRequest;
import io.verbena.wire.TerminateReader;
import java.lang.foreign.MemorySegment;

/**
 * Finds the work that a peer's Terminate message reports as the cause, by the headers in the message (RFC 5040 section 4.8
 * [6, 7, 8]): a Send by its message number, a Read or atomic by its request or its message number, a Write by key and offset.
 */
final class FailedRequestFinder {

    /** The result of a search. */
    sealed interface Match {
        /** The failed work has this send index. */
        record Work(long index) implements Match {}

        /** The message does not identify the work. */
        record NotStated() implements Match {}

        /** The message identifies work that is already complete, or no work of this side. */
        record NotPending() implements Match {}
    }

    private static final Match NOT_STATED = new Match.NotStated();
    private static final Match NOT_PENDING = new Match.NotPending();

    private final WorkQueue work;
    private final OutstandingReads outstanding;
    private final Wqe wqe = new Wqe();
    private final DdpTagged tagged = new DdpTagged();
    private final DdpUntagged untagged = new DdpUntagged();
    private final ReadRequest readRequest = new ReadRequest();

    FailedRequestFinder(WorkQueue work, OutstandingReads outstanding) {
        this.work = work;
        this.outstanding = outstanding;
    }

    /**
     * Finds the failed work.
     *
     * @param segment the memory that {@code terminate} was read from
     * @param sent index of the first work that has not left completely
     * @param nextSendMsn message number of the Send at {@code sent}, or of the next one after it
     */
    Match find(TerminateReader terminate, MemorySegment segment, long sent, int nextSendMsn) {
        long at = terminate.ddpHeaderOffset();
        if (at < 0) {
            return NOT_STATED;
        }
        if (terminate.ddpHeaderLength() == DdpTagged.LENGTH) {
            tagged.wrap(segment, at);
            return write(tagged.stag(), tagged.to(), sent);
        }
        untagged.wrap(segment, at);
        if (untagged.qn() == RdmapOpcode.SEND.qn()) {
            return send(untagged.msn(), sent, nextSendMsn);
        }
        if (untagged.qn() != RdmapOpcode.READ_REQUEST.qn()) {
            return NOT_PENDING;
        }
        if (terminate.rdmapHeaderOffset() >= 0) {
            // More reliable than the message number, for which Linux's siw sends another value.
            readRequest.wrap(segment, terminate.rdmapHeaderOffset());
            return request((int) (readRequest.sinkTo() >>> Integer.SIZE));
        }
        return request(untagged.msn());
    }

    private Match request(int msn) {
        long found = outstanding.requestOf(msn);
        return found == OutstandingReads.NONE ? NOT_PENDING : new Match.Work(found);
    }

    private Match write(int stag, long to, long sent) {
        for (long i = work.retired(); i <= sent && i < work.posted(); i++) {
            work.at(i, wqe);
            boolean writes = wqe.opcode() == WorkOpcode.WRITE || wqe.opcode() == WorkOpcode.WRITE_WITH_IMMEDIATE;
            long into = to - wqe.remoteAddress();
            if (writes && wqe.rkey() == stag && into >= 0 && into < Math.max(1, wqe.length())) {
                return new Match.Work(i);
            }
        }
        return NOT_PENDING;
    }

    private Match send(int msn, long sent, int nextSendMsn) {
        int following = nextSendMsn;
        for (long i = Math.min(sent, work.posted() - 1); i >= work.retired(); i--) {
            work.at(i, wqe);
            if (!takesSendMsn(wqe.opcode())) {
                continue;
            }
            int own = i == sent ? nextSendMsn : --following;
            if (own == msn) {
                return new Match.Work(i);
            }
        }
        return NOT_PENDING;
    }

    private static boolean takesSendMsn(WorkOpcode opcode) {
        return switch (opcode) {
            case SEND, SEND_WITH_INVALIDATE, SEND_WITH_IMMEDIATE, WRITE_WITH_IMMEDIATE -> true;
            default -> false;
        };
    }
}
