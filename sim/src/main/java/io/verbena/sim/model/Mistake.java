package io.verbena.sim.model;

import io.verbena.verbs.CompletionStatus;
import io.verbena.wire.TerminateCode;

/**
 * Deliberate errors of a program and their results: the reason sent over the wire, and the status of the responsible
 * work if it has not completed before.
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

    /** The reason that the detecting side sends to the other. */
    TerminateCode code() {
        return code;
    }

    /** Status, at the side with the error, of the work that fails first. */
    CompletionStatus status() {
        return status;
    }

    /** Whether the work cannot complete before the error is detected. */
    boolean pendsUntilBlamed() {
        return pendsUntilBlamed;
    }

    /** Whether the side with the error detects it itself. */
    boolean foundHere() {
        return code == TerminateCode.RDMAP_LOCAL_CATASTROPHIC;
    }
}
