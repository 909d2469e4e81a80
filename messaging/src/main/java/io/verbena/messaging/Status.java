package io.verbena.messaging;

import io.verbena.messaging.protocol.Matching;

/** Describes a message that was received or found by a probe; reusable. */
public final class Status {

    private int source = Matching.ANY;
    private int tag = Matching.ANY;
    private long count;

    Status set(int newSource, int newTag, long newCount) {
        source = newSource;
        tag = newTag;
        count = newCount;
        return this;
    }

    /** Rank of the sender. */
    public int source() {
        return source;
    }

    public int tag() {
        return tag;
    }

    /** Length in bytes. */
    public long count() {
        return count;
    }

    @Override
    public String toString() {
        return count + " bytes from rank " + source + ", tag " + tag;
    }
}
