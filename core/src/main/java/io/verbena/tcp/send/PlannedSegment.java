package io.verbena.tcp.send;

/** The segment that a sender has decided to send next: its sequence numbers, and whether it was sent before. */
public final class PlannedSegment {

    private long from;
    private long to;
    private int record = SentSegments.NONE;

    /** A segment that was not sent before. */
    void fresh(long first, long end) {
        from = first;
        to = end;
        record = SentSegments.NONE;
    }

    /** The repetition of a segment. */
    void repeated(SentSegments sent, int which) {
        from = sent.from(which);
        to = sent.to(which);
        record = which;
    }

    /** The first sequence number. */
    public long from() {
        return from;
    }

    /** The sequence number after the last one. */
    public long to() {
        return to;
    }

    long length() {
        return to - from;
    }

    /** Whether it was never sent before. */
    public boolean isNew() {
        return record == SentSegments.NONE;
    }

    /** The record of the segment that it repeats. */
    int record() {
        return record;
    }
}
