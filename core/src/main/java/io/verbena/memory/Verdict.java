package io.verbena.memory;

/** What a check of an access said. One table in the engine maps these to wire codes and completion statuses. */
public enum Verdict {
    /** The access is allowed. */
    OK("allowed"),
    /** No region has this key: it was guessed, closed, renewed or invalidated. */
    INVALID_KEY("no region has this key"),
    /** The key belongs to another protection domain. */
    WRONG_DOMAIN("the key belongs to another protection domain"),
    /** The memory behind the key went away. */
    LOST("the memory behind the key is gone"),
    /** The region does not give this right. */
    NO_RIGHT("the region does not give this right"),
    /** Address plus length is above 2^64. */
    WRAPS("address plus length wraps"),
    /** Some of the bytes are outside the region. */
    BOUNDS("the bytes are not all within the region"),
    /** The address space has nothing there, and its error handler did not change that. */
    NOT_MAPPED("nothing is mapped there"),
    /** Cannot be said yet: a page is on its way. Ask again. Pinned regions never say so. */
    NOT_NOW("a page is on its way");

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
