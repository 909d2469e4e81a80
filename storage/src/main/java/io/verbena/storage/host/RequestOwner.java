package io.verbena.storage.host;

/** Who made a {@link BlockRequest}. */
public interface RequestOwner {
    /** The request has ended. */
    void ended(BlockRequest request);
}
