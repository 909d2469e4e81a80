package io.verbena.messaging.protocol;

/** Why other buffers were granted than asked for. */
public enum Refusal {
    NONE("nothing was refused"),
    RECEIVER_BUDGET("the receiver's budget for registered memory is used up"),
    RECEIVER_MEMORY("the receiver's system has no memory left"),
    TOO_LARGE("the receiver does not have buffers of that size"),
    SENDER_BUDGET("the sender's budget for registered memory is used up"),
    SENDER_MEMORY("the sender's system has no memory left");

    private static final Refusal[] ALL = values();

    private final String sentence;

    Refusal(String sentence) {
        this.sentence = sentence;
    }

    /** Half a sentence for people. */
    public String sentence() {
        return sentence;
    }

    /** What a peer said; anything unknown is a refusal for its size. */
    static Refusal of(int code) {
        return code >= 0 && code < ALL.length ? ALL[code] : TOO_LARGE;
    }
}
