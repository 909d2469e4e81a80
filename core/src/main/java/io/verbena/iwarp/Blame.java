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
 * Finds the work that a peer's Terminate message blames, by the headers in it (RFC 5040 section 4.8 [6, 7, 8]): a Send by its
 * message number, a Read or atomic by what it asks for or by its message number, a Write by key and offset.
 */
final class Blame {

    /** The message does not say which work it is about. */
    static final long UNSAID = -1;

    /** It is about work that is complete already, or about none of ours. */
    static final long NOT_PENDING = -2;

    private final WorkQueue work;
    private final OutstandingReads outstanding;
    private final Wqe wqe = new Wqe();
    private final DdpTagged tagged = new DdpTagged();
    private final DdpUntagged untagged = new DdpUntagged();
    private final ReadRequest readRequest = new ReadRequest();

    Blame(WorkQueue work, OutstandingReads outstanding) {
        this.work = work;
        this.outstanding = outstanding;
    }

    /**
     * Index of the work to blame, or {@link #UNSAID}, or {@link #NOT_PENDING}.
     *
     * @param segment what {@code terminate} was read from
     * @param sent index behind the last work of which something has left
     * @param nextSendMsn message number of the Send at {@code sent}, or of the next one behind it
     */
    long find(TerminateReader terminate, MemorySegment segment, long sent, int nextSendMsn) {
        long at = terminate.ddpHeaderOffset();
        if (at < 0) {
            return UNSAID;
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
            // Better than the message number, which Linux's siw fills with something else.
            readRequest.wrap(segment, terminate.rdmapHeaderOffset());
            return outstanding.requestOf((int) (readRequest.sinkTo() >>> Integer.SIZE));
        }
        return outstanding.requestOf(untagged.msn());
    }

    private long write(int stag, long to, long sent) {
        for (long i = work.retired(); i <= sent && i < work.posted(); i++) {
            work.at(i, wqe);
            boolean writes = wqe.opcode() == WorkOpcode.WRITE || wqe.opcode() == WorkOpcode.WRITE_WITH_IMMEDIATE;
            long into = to - wqe.remoteAddress();
            if (writes && wqe.rkey() == stag && into >= 0 && into < Math.max(1, wqe.length())) {
                return i;
            }
        }
        return NOT_PENDING;
    }

    private long send(int msn, long sent, int nextSendMsn) {
        int behind = nextSendMsn;
        for (long i = Math.min(sent, work.posted() - 1); i >= work.retired(); i--) {
            work.at(i, wqe);
            if (!takesSendMsn(wqe.opcode())) {
                continue;
            }
            int mine = i == sent ? nextSendMsn : --behind;
            if (mine == msn) {
                return i;
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
