package io.verbena.survival;

/**
 * What the two sides of an association must know about a request that may have been executed when its transport
 * failed.
 */
public enum RequestKind {
    /** A Write: executed once, and has no result. */
    WRITE,
    /** A Send: executed once, because it consumes a receive. */
    SEND,
    /** A Read: executed again until its data have arrived. It changes nothing at the responder. */
    READ,
    /** A fetch-and-add or a compare-and-swap: executed once; the responder remembers the result. */
    ATOMIC;

    /** Whether the responder answers with data, and therefore has an entry in its {@link ExecutionRecord}. */
    public boolean answered() {
        return this == READ || this == ATOMIC;
    }
}
