package io.verbena.ib.request;

import io.verbena.ib.endpoint.Failure;
import io.verbena.verbs.CompletionStatus;
import io.verbena.wire.ib.Syndrome;
import io.verbena.work.Moved;

/** Why a request fails: the status of its completion, and a sentence for people. */
final class RequestFailures {

    static final Failure RECEIVER_NOT_READY = Failure.ofRequest(
            CompletionStatus.RECEIVER_NOT_READY,
            "The peer had no receive posted, and the limit of RNR retries is reached. Post "
                    + "receives earlier, or raise the RNR retry count.");

    static final Failure WRONG_LENGTH =
            Failure.ofRequest(CompletionStatus.BAD_RESPONSE, "The response to a Read has a wrong length.");

    static final Failure WRONG_RESPONSE = Failure.ofRequest(
            CompletionStatus.BAD_RESPONSE, "The peer answered a Read with the response of an atomic operation.");

    static final Failure SILENT = Failure.ofRequest(
            CompletionStatus.RETRY_EXCEEDED,
            "The peer did not answer: the limit of retries is reached. The peer or the path has failed.");

    static final Failure NEVER_ARRIVES = Failure.ofRequest(
            CompletionStatus.RETRY_EXCEEDED,
            "The peer answers, but one packet did not arrive however often it was repeated. The path may drop "
                    + "packets of this length: check its MTU.");

    static final Failure BAD_INVALIDATION = Failure.ofRequest(
            CompletionStatus.LOCAL_OPERATION,
            "The key to invalidate after a Read is not valid or belongs to another protection domain.");

    private static final Failure REMOTE_ACCESS = Failure.ofRequest(
            CompletionStatus.REMOTE_ACCESS,
            "The peer refused access to its memory: the remote key, the address range or "
                    + "the access right is not valid.");

    private static final Failure REMOTE_OPERATION = Failure.ofRequest(
            CompletionStatus.REMOTE_OPERATION, "The peer reported a failure of its own (remote operation error).");

    private static final Failure REMOTE_INVALID = Failure.ofRequest(
            CompletionStatus.REMOTE_INVALID_REQUEST,
            "The peer refused the request as invalid: check the operation, its length, "
                    + "and the Reads that were negotiated.");

    private static final Failure MEMORY_LOST = Failure.ofRequest(
            CompletionStatus.LOCAL_MEMORY,
            "Local memory was lost while a response was placed in it: its arena was "
                    + "closed or its file truncated.");

    private static final Failure MEMORY_REFUSED = Failure.ofRequest(
            CompletionStatus.LOCAL_PROTECTION,
            "The buffers of a Read are no longer registered, or do not permit local writing.");

    private RequestFailures() {}

    /** The peer has refused a request. */
    static Failure ofNak(int syndrome) {
        return switch (syndrome) {
            case Syndrome.NAK_REMOTE_ACCESS -> REMOTE_ACCESS;
            case Syndrome.NAK_REMOTE_OPERATION -> REMOTE_OPERATION;
            default -> REMOTE_INVALID;
        };
    }

    /** A response cannot be placed. */
    static Failure ofPlacement(Moved moved) {
        return moved == Moved.LOST ? MEMORY_LOST : MEMORY_REFUSED;
    }
}
