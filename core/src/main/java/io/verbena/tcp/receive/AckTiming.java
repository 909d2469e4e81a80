package io.verbena.tcp.receive;

import io.verbena.base.Times;

/**
 * When to acknowledge (RFC 9293 section 3.8.6.3 [1] and RFC 5681 section 4.2): at least every second full segment, at once if a segment is out of
 * order or closes a hole, and otherwise after a short delay, in which data may carry the acknowledgment.
 */
public final class AckTiming {

    private final long delayNs;
    private boolean now;
    private long bytes;
    private long deadlineNs = Times.NEVER;
    private boolean overdue;

    /** Whether the owner has taken segments since the last acknowledgment. */
    private boolean taken;

    public AckTiming(long delayNs) {
        this.delayNs = delayNs;
    }

    /** Data arrived in order. */
    public void onInOrder(int length, int segmentBytes, long nowNs) {
        bytes += length;
        // Two full segments, counted in bytes: a carrier may deliver several as one.
        now |= bytes >= 2L * segmentBytes;
        if (deadlineNs == Times.NEVER) {
            deadlineNs = Times.after(nowNs, delayNs);
        }
    }

    /** Something happened that is acknowledged at once. */
    public void soon(long nowNs) {
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
    public boolean due(boolean held) {
        return overdue || now && (!held || taken);
    }

    /** The owner has had its turn. */
    public void onTaken() {
        taken = true;
    }

    public void onDeadline(long nowNs) {
        overdue |= Times.due(deadlineNs, nowNs);
        deadlineNs = overdue ? Times.NEVER : deadlineNs;
    }

    public long nextDeadlineNs() {
        return deadlineNs;
    }

    /** An acknowledgment was sent; with {@code partial} it did not report everything. */
    public void onSent(boolean partial) {
        now = partial;
        taken = false;
        if (!partial) {
            bytes = 0;
            overdue = false;
            deadlineNs = Times.NEVER;
        }
    }
}
