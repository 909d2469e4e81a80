package io.verbena.storage.host;

/** The owner of a {@link BlockRequest}. */
public interface RequestOwner {
    /** The request has ended. */
    void ended(BlockRequest request);
}
