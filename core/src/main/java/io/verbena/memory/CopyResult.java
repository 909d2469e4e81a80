package io.verbena.memory;

/** How a copy into or out of a region went. */
public enum CopyResult {
    /** All bytes are copied. */
    DONE,
    /**
     * Nothing may be assumed copied, because a page is missing and was requested. Repeat the same copy. Does not occur
     * with pinned regions.
     */
    NOT_NOW,
    /** The memory is inaccessible; see {@link Region#lostReason()}. Copied bytes must not be used. */
    LOST
}
