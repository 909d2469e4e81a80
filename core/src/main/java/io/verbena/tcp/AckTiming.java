package io.verbena.tcp;

import io.verbena.base.Times;

/**
 * When to acknowledge (RFC 9293 section 3.8.6.3 [1] and RFC 5681 section 4.2): at least every second full segment, at once if a segment is out of
 * order or closes a hole, and otherwise after a short delay, in which data may carry the acknowledgment.
 */
final class AckTiming {

    private final long delayNs;
    private boolean now;
    private long bytes;
    private long deadlineNs = Times.NEVER;
    private boolean overdue;

    /** Whether the owner has taken segments since the last acknowledgment. */
    private boolean taken;

    AckTiming(long delayNs) {
        this.delayNs = delayNs;
    }

    /** Data arrived in order. */
    void onInOrder(int length, int segmentBytes, long nowNs) {
        bytes += length;
        // Two full segments, counted in bytes: a carrier may deliver several as one.
        now |= bytes >= 2L * segmentBytes;
        if (deadlineNs == Times.NEVER) {
            deadlineNs = Times.after(nowNs, delayNs);
        }
    }

    /** Something happened that is acknowledged at once. */
    void soon(long nowNs) {
        now = true;
        if (deadlineNs == Times.NEVER) {
            deadlineNs = Times.after(nowNs, delayNs);
        }
    }

    /**
     * Whether to send an acknowledgment now.
     *
     * @param held whether the owner will take segments first, which the acknowledgment then covers; an owner that takes a part
     *     in each turn does not delay it
     */
    boolean due(boolean held) {
        return overdue || now && (!held || taken);
    }

    /** The owner has had its turn. */
    void onTaken() {
        taken = true;
    }

    void onDeadline(long nowNs) {
        overdue |= Times.due(deadlineNs, nowNs);
        deadlineNs = overdue ? Times.NEVER : deadlineNs;
    }

    long nextDeadlineNs() {
        return deadlineNs;
    }

    /** An acknowledgment was sent; with {@code partial} it did not report everything. */
    void onSent(boolean partial) {
        now = partial;
        taken = false;
        if (!partial) {
            bytes = 0;
            overdue = false;
            deadlineNs = Times.NEVER;
        }
    }
}
