package io.verbena.tcp.send;

/** The window that the peer offers (RFC 9293 section 3.10.7.4 [note]: SND.WND, SND.WL1, SND.WL2). */
public final class SendWindow {

    private long limit;
    private long largest;
    private long updateSequence;
    private long updateAcknowledgment;

    /** The first window, of a SYN: not scaled. */
    public void begin(long sequence, long acknowledgment, long window) {
        updateSequence = sequence;
        updateAcknowledgment = acknowledgment;
        limit = acknowledgment + window;
        largest = window;
    }

    /** Takes the window of a segment that is not older than the one used last; returns whether the limit changed. */
    boolean update(long sequence, long acknowledgment, long window) {
        boolean newer =
                updateSequence < sequence || updateSequence == sequence && updateAcknowledgment <= acknowledgment;
        if (!newer) {
            return false;
        }
        updateSequence = sequence;
        updateAcknowledgment = acknowledgment;
        // RFC 9293 section 3.8.6 [1]: the limit may also move to the left, if the peer shrinks its window.
        boolean changed = limit != acknowledgment + window;
        limit = acknowledgment + window;
        largest = Math.max(largest, window);
        return changed;
    }

    /** The sequence number after the last one that may be sent. */
    public long limit() {
        return limit;
    }

    /** The largest window so far. */
    public long largest() {
        return largest;
    }
}
