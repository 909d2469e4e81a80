package io.verbena.verbs;

/** Result of a work request (ibv_wc_status). */
public enum CompletionStatus {
    SUCCESS("it succeeded"),
    LOCAL_LENGTH("the message does not fit the local buffers"),
    LOCAL_OPERATION("the queue pair could not do this work"),
    LOCAL_PROTECTION("a local buffer is not registered, too short or does not grant the required right"),
    LOCAL_MEMORY("local memory became inaccessible while it was in use: its arena was closed or its file truncated"),
    FLUSHED("the queue pair failed or was closed before this work was executed"),
    BIND_FAILED("the key could not be bound to this range"),
    BAD_RESPONSE("the response of the peer does not match the request"),
    REMOTE_INVALID_REQUEST("the peer refused the request as malformed"),
    REMOTE_ACCESS("the peer denied access to its memory: invalid key, bounds or rights"),
    REMOTE_OPERATION("the peer could not execute the request"),
    RETRY_EXCEEDED("the peer did not answer in time"),
    RECEIVER_NOT_READY("the peer had no receive posted"),
    CONNECTION_LOST("the connection broke"),
    CRC("a checksum of the received data did not match"),
    PROTOCOL("the peer violated the protocol"),
    /**
     * Only of a connection over an adapter that survives its transport: the work may have been executed or not, or what
     * it returned is lost. The queue pair has not failed, and later work goes on.
     */
    OUTCOME_UNKNOWN("the transport ended meanwhile, and the peer cannot say whether it has executed this work");

    private final String sentence;

    CompletionStatus(String sentence) {
        this.sentence = sentence;
    }

    /** The reason as a clause for people, which completes "the work failed because …". */
    public String sentence() {
        return sentence;
    }
}
