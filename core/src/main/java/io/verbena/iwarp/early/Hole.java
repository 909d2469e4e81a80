package io.verbena.iwarp.early;

/**
 * A gap in the received stream, and the number of messages that are complete after it, up to the next hole. {@link Holes}
 * changes it.
 */
public final class Hole {

    long from;
    long to;
    int sends;
    int requests;
    int atomics;
    int responses;
    int placedBytes;

    Hole() {}

    Hole begin(long first, long end) {
        from = first;
        to = end;
        sends = 0;
        requests = 0;
        atomics = 0;
        responses = 0;
        placedBytes = 0;
        return this;
    }

    /** The next hole was closed: its messages follow this hole now. */
    void merge(Hole next) {
        sends += next.sends;
        requests += next.requests;
        atomics += next.atomics;
        responses += next.responses;
        placedBytes += next.placedBytes;
    }

    /** Stream offset of the first missing byte. The first hole of a stream may have become shorter since. */
    public long from() {
        return from;
    }

    /** Stream offset after the last missing byte. */
    public long to() {
        return to;
    }

    /** Sends that are complete: as many completions are published when the hole closes. */
    public int sends() {
        return sends;
    }

    /** Read Requests in the read queue that are served when the hole closes. */
    public int requests() {
        return requests;
    }

    /** Atomic Requests in the read queue that are executed when the hole closes. */
    public int atomics() {
        return atomics;
    }

    /** Complete Read Responses and Atomic Responses: as many requests complete when the hole closes. */
    public int responses() {
        return responses;
    }

    /** Payload bytes that were placed. */
    public int placedBytes() {
        return placedBytes;
    }
}
