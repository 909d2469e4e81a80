package io.verbena.sim.model;

import io.verbena.verbs.CompletionStatus;
import io.verbena.wire.TerminateCode;

/**
 * What a program does wrong on purpose, and what must come of it: the reason that goes over the wire, and how the work that
 * is to blame completes if it has not completed before.
 */
enum Mistake {
    WRITE_WRONG_KEY(TerminateCode.DDP_TAGGED_INVALID_STAG, CompletionStatus.REMOTE_ACCESS, false),
    WRITE_OUT_OF_BOUNDS(TerminateCode.DDP_TAGGED_BASE_OR_BOUNDS, CompletionStatus.REMOTE_ACCESS, false),
    WRITE_BEFORE_START(TerminateCode.DDP_TAGGED_BASE_OR_BOUNDS, CompletionStatus.REMOTE_ACCESS, false),
    WRITE_WITHOUT_RIGHT(TerminateCode.RDMAP_ACCESS_RIGHTS, CompletionStatus.REMOTE_ACCESS, false),
    WRITE_OTHER_DOMAIN(TerminateCode.DDP_TAGGED_STAG_NOT_ASSOCIATED, CompletionStatus.REMOTE_ACCESS, false),
    READ_WRONG_KEY(TerminateCode.RDMAP_INVALID_STAG, CompletionStatus.REMOTE_ACCESS, true),
    READ_OUT_OF_BOUNDS(TerminateCode.RDMAP_BASE_OR_BOUNDS, CompletionStatus.REMOTE_ACCESS, true),
    READ_WITHOUT_RIGHT(TerminateCode.RDMAP_ACCESS_RIGHTS, CompletionStatus.REMOTE_ACCESS, true),
    READ_OTHER_DOMAIN(TerminateCode.RDMAP_STAG_NOT_ASSOCIATED, CompletionStatus.REMOTE_ACCESS, true),
    ATOMIC_WRONG_KEY(TerminateCode.RDMAP_INVALID_STAG, CompletionStatus.REMOTE_ACCESS, true),
    ATOMIC_WITHOUT_RIGHT(TerminateCode.RDMAP_ACCESS_RIGHTS, CompletionStatus.REMOTE_ACCESS, true),
    ATOMIC_UNALIGNED(TerminateCode.RDMAP_STREAM_CATASTROPHIC, CompletionStatus.REMOTE_OPERATION, true),
    SEND_TOO_LONG(TerminateCode.DDP_UNTAGGED_TOO_LONG, CompletionStatus.REMOTE_INVALID_REQUEST, false),
    SEND_WITHOUT_RECEIVE(TerminateCode.DDP_UNTAGGED_NO_BUFFER, CompletionStatus.RECEIVER_NOT_READY, false),
    INVALIDATE_WRONG_KEY(TerminateCode.RDMAP_CANNOT_INVALIDATE, CompletionStatus.REMOTE_ACCESS, false),
    READ_INTO_READ_ONLY(TerminateCode.RDMAP_LOCAL_CATASTROPHIC, CompletionStatus.LOCAL_PROTECTION, true),
    LOCAL_INVALIDATE_WRONG_KEY(TerminateCode.RDMAP_LOCAL_CATASTROPHIC, CompletionStatus.LOCAL_OPERATION, true);

    private final TerminateCode code;
    private final CompletionStatus status;
    private final boolean pendsUntilBlamed;

    Mistake(TerminateCode code, CompletionStatus status, boolean pendsUntilBlamed) {
        this.code = code;
        this.status = status;
        this.pendsUntilBlamed = pendsUntilBlamed;
    }

    /** What the side that finds out tells the other. */
    TerminateCode code() {
        return code;
    }

    /** Status, at the side that made the mistake, of the work that fails first. */
    CompletionStatus status() {
        return status;
    }

    /** Whether the work cannot have completed before the mistake is found. */
    boolean pendsUntilBlamed() {
        return pendsUntilBlamed;
    }

    /** Whether it is found by the side that made it. */
    boolean foundHere() {
        return code == TerminateCode.RDMAP_LOCAL_CATASTROPHIC;
    }
}
