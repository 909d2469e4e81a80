package io.verbena.messaging;

/** What was received or found by a probe; reusable. */
public final class Status {

    private int source = Communicator.ANY_SOURCE;
    private int tag = Communicator.ANY_TAG;
    private long count;

    Status set(int newSource, int newTag, long newCount) {
        source = newSource;
        tag = newTag;
        count = newCount;
        return this;
    }

    /** Rank that sent it. */
    public int source() {
        return source;
    }

    public int tag() {
        return tag;
    }

    /** Its length in bytes. */
    public long count() {
        return count;
    }

    @Override
    public String toString() {
        return count + " bytes from rank " + source + ", tag " + tag;
    }
}
