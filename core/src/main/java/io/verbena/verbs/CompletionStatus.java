package io.verbena.verbs;

/** How work ended. */
public enum CompletionStatus {
    SUCCESS("it succeeded"),
    LOCAL_LENGTH("the message does not fit the local buffers"),
    LOCAL_OPERATION("the queue pair could not do this work"),
    LOCAL_PROTECTION("a local buffer is not registered, too short or does not allow this"),
    LOCAL_MEMORY("local memory went away while it was in use: its arena was closed or its file truncated"),
    FLUSHED("the queue pair had ended before this work was done"),
    BIND_FAILED("the key could not be bound to this range"),
    BAD_RESPONSE("the peer answered with something else than was asked for"),
    REMOTE_INVALID_REQUEST("the peer refused the request as malformed"),
    REMOTE_ACCESS("the peer refused access to its memory: wrong key, bounds or right"),
    REMOTE_OPERATION("the peer failed to do its part"),
    RETRY_EXCEEDED("the peer did not answer in time"),
    RECEIVER_NOT_READY("the peer had no receive posted"),
    CONNECTION_LOST("the connection broke"),
    CRC("the peer's bytes were damaged: a checksum did not match"),
    PROTOCOL("the peer broke the protocol");

    private final String sentence;

    CompletionStatus(String sentence) {
        this.sentence = sentence;
    }

    /** Half a sentence for people: "the work failed because …". */
    public String sentence() {
        return sentence;
    }
}
