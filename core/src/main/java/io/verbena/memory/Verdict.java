package io.verbena.memory;

/** Result of an access check. A table of the engine maps it to wire codes and completion statuses. */
public enum Verdict {
    /** The access is allowed. */
    OK("allowed"),
    /** No region has this key: it was guessed, closed, renewed or invalidated. */
    INVALID_KEY("no region has this key"),
    /** The key belongs to another protection domain. */
    WRONG_DOMAIN("the key belongs to another protection domain"),
    /** The memory of the key is no longer accessible. */
    LOST("the memory of the key is no longer accessible"),
    /** The region does not grant the required right. */
    NO_RIGHT("the region does not grant the required right"),
    /** Address plus length is above 2^64. */
    WRAPS("address plus length wraps"),
    /** Some of the bytes are outside the region. */
    BOUNDS("the bytes are not all within the region"),
    /** The address space has nothing there, and its error handler did not change that. */
    NOT_MAPPED("nothing is mapped there"),
    /**
     * Undecided, because a page is missing and was requested. Check again later. Does not occur with pinned regions.
     */
    NOT_NOW("a page is being read");

    private final String sentence;

    Verdict(String sentence) {
        this.sentence = sentence;
    }

    /** Whether the access may be done. */
    public boolean ok() {
        return this == OK;
    }

    /** The same for people. */
    public String sentence() {
        return sentence;
    }
}
