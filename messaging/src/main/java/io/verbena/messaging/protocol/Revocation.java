package io.verbena.messaging.protocol;

/** Why a rank has ended the collective operations of a communicator, as the other ranks are notified. */
public enum Revocation {
    REVOKED("has revoked the communicator"),
    MISMATCH("has found that ranks call different collective operations; its own exception names them"),
    GIVEN_UP("has given up a collective operation: its wait was interrupted or took too long"),
    FAILED("has failed in a collective operation; its own exception says why"),
    DIED("has left a collective operation because a rank died");

    private static final Revocation[] ALL = values();

    private final String sentence;

    Revocation(String sentence) {
        this.sentence = sentence;
    }

    /** The sentence of a rank that is notified. */
    public String by(int rank) {
        return "Rank " + rank + " " + sentence + ".";
    }

    /** The reason with this ordinal, which may come from a peer. */
    public static Revocation of(int ordinal) {
        return ALL[Math.min(ordinal, ALL.length - 1)];
    }
}
