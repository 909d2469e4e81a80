package io.verbena.hardware.provider.request;

import io.verbena.verbs.CompletionStatus;

/** The values of ibv_wc_status in the order of the enumeration in C. */
public final class Statuses {

    private static final CompletionStatus[] BY_VALUE = {
        CompletionStatus.SUCCESS,
        CompletionStatus.LOCAL_LENGTH,
        CompletionStatus.LOCAL_OPERATION,
        CompletionStatus.LOCAL_OPERATION, // EE context
        CompletionStatus.LOCAL_PROTECTION,
        CompletionStatus.FLUSHED,
        CompletionStatus.BIND_FAILED,
        CompletionStatus.BAD_RESPONSE,
        CompletionStatus.LOCAL_PROTECTION, // local access
        CompletionStatus.REMOTE_INVALID_REQUEST,
        CompletionStatus.REMOTE_ACCESS,
        CompletionStatus.REMOTE_OPERATION,
        CompletionStatus.RETRY_EXCEEDED,
        CompletionStatus.RECEIVER_NOT_READY,
        CompletionStatus.PROTOCOL, // RDD violation
        CompletionStatus.REMOTE_INVALID_REQUEST, // RD request
        CompletionStatus.CONNECTION_LOST, // remote abort
        CompletionStatus.PROTOCOL, // EE context number
        CompletionStatus.PROTOCOL, // EE context state
        CompletionStatus.CONNECTION_LOST, // fatal
        CompletionStatus.RETRY_EXCEEDED, // response timeout
        CompletionStatus.PROTOCOL // general
    };

    private Statuses() {}

    /** The status for a value; {@link CompletionStatus#PROTOCOL} for one that is unknown. */
    public static CompletionStatus of(int value) {
        return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : CompletionStatus.PROTOCOL;
    }
}
