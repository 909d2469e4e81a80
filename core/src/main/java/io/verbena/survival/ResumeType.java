package io.verbena.survival;

/** What a message of the resume exchange is. The order of the constants is their number on the wire, from 1 on. */
public enum ResumeType {
    /** The sender has fenced its old queue pair and wants to continue over this connection. */
    RESUME,
    /** The answer: the sender has fenced its old queue pair too, and continues over this connection. */
    RESUMED,
    /** The answer to a RESUME of an epoch that is not higher than one the sender knows; the message has the latter. */
    STALE,
    /** The answer to a RESUME with an unknown id or a wrong code. It is not authenticated. */
    UNKNOWN,
    /** Asks whether the address works. The number to be repeated in the answer is in {@code Completed}. */
    PROBE,
    /** The answer to a PROBE. */
    ALIVE;

    private static final ResumeType[] ALL = values();

    /** The number on the wire. */
    public int code() {
        return ordinal() + 1;
    }

    /** Whether a type has this number. */
    public static boolean known(int code) {
        return code >= 1 && code <= ALL.length;
    }

    /** The type with a {@linkplain #known known} number. */
    public static ResumeType of(int code) {
        return ALL[code - 1];
    }
}
