package io.verbena.memory;

/** How an atomic operation on a region went. */
public enum AtomicOutcome {
    /** Done; {@link AtomicResult#original()} is the word as it was before. */
    DONE,
    /** Nothing is changed; a page is on its way. Try again. Pinned regions never say so. */
    NOT_NOW,
    /** The memory is gone; {@link Region#lostReason()} says why. */
    LOST,
    /** The address is not a multiple of 8; nothing is changed. RFC 7306 sections 5.1.1 [3] and 5.1.2 [4]. */
    UNALIGNED
}
