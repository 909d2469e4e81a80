package io.verbena.iwarp;

import io.verbena.memory.Verdict;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionStatus;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.TerminateCode;

/** Maps each fault to its Terminate code, its completion status, its asynchronous event and its sentence. */
final class Faults {

    private Faults() {}

    /** A Write that was refused (RFC 5041 sections 7.1 and 7.2; only RFC 5040 section 4.8 [3] has a code for rights). */
    static TerminateCode ofWrite(Verdict verdict) {
        return switch (verdict) {
            case INVALID_KEY -> TerminateCode.DDP_TAGGED_INVALID_STAG;
            case WRONG_DOMAIN -> TerminateCode.DDP_TAGGED_STAG_NOT_ASSOCIATED;
            case BOUNDS, NOT_MAPPED -> TerminateCode.DDP_TAGGED_BASE_OR_BOUNDS;
            case WRAPS -> TerminateCode.DDP_TAGGED_TO_WRAP;
            case NO_RIGHT -> TerminateCode.RDMAP_ACCESS_RIGHTS;
            case LOST -> TerminateCode.RDMAP_STREAM_CATASTROPHIC;
            case OK, NOT_NOW -> throw new AssertionError("not a fault: " + verdict);
        };
    }

    /** A Read or atomic request that was refused (RFC 5040 section 7.2 [9, 10, 11, 12, 13], RFC 7306 section 8.2 [5]). */
    static TerminateCode ofRead(Verdict verdict) {
        return switch (verdict) {
            case INVALID_KEY -> TerminateCode.RDMAP_INVALID_STAG;
            case WRONG_DOMAIN -> TerminateCode.RDMAP_STAG_NOT_ASSOCIATED;
            case BOUNDS, NOT_MAPPED -> TerminateCode.RDMAP_BASE_OR_BOUNDS;
            case WRAPS -> TerminateCode.RDMAP_TO_WRAP;
            case NO_RIGHT -> TerminateCode.RDMAP_ACCESS_RIGHTS;
            case LOST -> TerminateCode.RDMAP_STREAM_CATASTROPHIC;
            case OK, NOT_NOW -> throw new AssertionError("not a fault: " + verdict);
        };
    }

    /** The event that reports that this side ended the stream for a fault in a message of kind {@code faulty}. */
    static AsyncEventType eventOf(TerminateCode code, RdmapOpcode faulty) {
        boolean onReadQueue = faulty == RdmapOpcode.READ_REQUEST || faulty == RdmapOpcode.ATOMIC_REQUEST;
        return switch (code) {
            case RDMAP_LOCAL_CATASTROPHIC, DDP_LOCAL_CATASTROPHIC, MPA_LOCAL_CATASTROPHIC -> AsyncEventType.QP_FATAL;
            case RDMAP_INVALID_STAG,
                    RDMAP_BASE_OR_BOUNDS,
                    RDMAP_ACCESS_RIGHTS,
                    RDMAP_STAG_NOT_ASSOCIATED,
                    RDMAP_TO_WRAP,
                    RDMAP_PROTECTION_CANNOT_INVALIDATE,
                    RDMAP_PROTECTION_UNSPECIFIED,
                    RDMAP_CANNOT_INVALIDATE,
                    DDP_TAGGED_INVALID_STAG,
                    DDP_TAGGED_BASE_OR_BOUNDS,
                    DDP_TAGGED_STAG_NOT_ASSOCIATED,
                    DDP_TAGGED_TO_WRAP -> AsyncEventType.QP_ACCESS_ERROR;
            case DDP_UNTAGGED_NO_BUFFER ->
                onReadQueue ? AsyncEventType.READ_QUEUE_OVERFLOW : AsyncEventType.QP_REQUEST_ERROR;
            case DDP_UNTAGGED_MSN_RANGE -> AsyncEventType.MESSAGE_OUT_OF_ORDER;
            case MPA_CRC -> AsyncEventType.INVALID_CRC;
            case MPA_FPDU_START -> AsyncEventType.BAD_FRAME;
            default -> AsyncEventType.QP_REQUEST_ERROR;
        };
    }

    /** Completion status of pending work when this side ends the stream for a fault of the peer. */
    static CompletionStatus ofPeerFault(TerminateCode code) {
        return code == TerminateCode.MPA_CRC ? CompletionStatus.CRC : CompletionStatus.PROTOCOL;
    }

    /** Completion status of pending work when the peer ends the stream for a fault in a request of this side. */
    static CompletionStatus ofTerminate(TerminateCode code) {
        return switch (code) {
            case RDMAP_INVALID_STAG,
                    RDMAP_BASE_OR_BOUNDS,
                    RDMAP_ACCESS_RIGHTS,
                    RDMAP_STAG_NOT_ASSOCIATED,
                    RDMAP_TO_WRAP,
                    RDMAP_PROTECTION_CANNOT_INVALIDATE,
                    RDMAP_PROTECTION_UNSPECIFIED,
                    RDMAP_CANNOT_INVALIDATE,
                    DDP_TAGGED_INVALID_STAG,
                    DDP_TAGGED_BASE_OR_BOUNDS,
                    DDP_TAGGED_STAG_NOT_ASSOCIATED,
                    DDP_TAGGED_TO_WRAP -> CompletionStatus.REMOTE_ACCESS;
            case DDP_UNTAGGED_NO_BUFFER -> CompletionStatus.RECEIVER_NOT_READY;
            case MPA_CRC -> CompletionStatus.CRC;
            case RDMAP_LOCAL_CATASTROPHIC,
                    RDMAP_STREAM_CATASTROPHIC,
                    RDMAP_GLOBAL_CATASTROPHIC,
                    RDMAP_OPERATION_UNSPECIFIED,
                    DDP_LOCAL_CATASTROPHIC,
                    MPA_LOCAL_CATASTROPHIC -> CompletionStatus.REMOTE_OPERATION;
            default -> CompletionStatus.REMOTE_INVALID_REQUEST;
        };
    }

    /** The sentence for the application of this side, which ends the stream for a fault of the peer. */
    static String violationSentence(TerminateCode code) {
        return switch (code) {
            case RDMAP_OPERATION_UNSPECIFIED -> "The peer sent a message that is shorter than its kind requires.";
            case RDMAP_PROTECTION_UNSPECIFIED -> "The memory protection of this side refused an access by the peer.";
            default -> code.sentence();
        };
    }
}
