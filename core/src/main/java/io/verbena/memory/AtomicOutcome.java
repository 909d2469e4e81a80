package io.verbena.memory;

/** How an atomic operation on a region went. */
public enum AtomicOutcome {
    /** Done; {@link AtomicResult#original()} is the previous value of the word. */
    DONE,
    /**
     * Nothing has changed, because a page is missing and was requested. Try again. Does not occur with pinned regions.
     */
    NOT_NOW,
    /** The memory is inaccessible; see {@link Region#lostReason()}. */
    LOST,
    /** The address is not a multiple of 8; nothing is changed. RFC 7306 sections 5.1.1 [3] and 5.1.2 [4]. */
    UNALIGNED
}
