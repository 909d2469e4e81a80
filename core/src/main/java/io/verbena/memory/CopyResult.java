package io.verbena.memory;

/** How a copy into or out of a region went. */
public enum CopyResult {
    /** All bytes are copied. */
    DONE,
    /** Nothing may be assumed copied; a page is on its way. Try the same copy again. Pinned regions never say so. */
    NOT_NOW,
    /** The memory is gone; {@link Region#lostReason()} says why. What was copied is not to be used. */
    LOST
}
