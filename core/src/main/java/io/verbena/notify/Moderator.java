package io.verbena.notify;

import io.verbena.base.Times;

/**
 * Decides, for one engine's part of a CQ, whether an event is held back until a number of entries are published or a time has passed
 * since the first. Adaptive: the number is what the rate of entries lets expect within that time. An engine's own.
 */
public final class Moderator {

    /** Weight of the average gap between entries in the next average; a new gap has the weight 1. */
    private static final int SMOOTHING = 8;

    private final int mostCount;
    private final long periodNs;
    private final boolean adaptive;
    private int held;
    private long deadlineNs;
    private boolean learned;
    private long lastNs;
    private long gapNs;

    /** A moderator that has seen no entries. */
    public Moderator(int mostCount, long periodNs, boolean adaptive) {
        this.mostCount = mostCount;
        this.periodNs = periodNs;
        this.adaptive = adaptive;
    }

    /** Entries were published, whether the consumer was notified or not. */
    public void observe(long entries, long nowNs) {
        if (learned) {
            long gap = Math.max(0, nowNs - lastNs) / Math.max(1, entries);
            gapNs += (gap - gapNs) / SMOOTHING;
        } else {
            learned = true;
            gapNs = periodNs;
        }
        lastNs = nowNs;
    }

    /** Entries came that make an event; whether to hold it back until {@link #deadlineNs}. */
    public boolean holds(long entries, long nowNs) {
        if (held == 0) {
            deadlineNs = Times.after(nowNs, periodNs);
        }
        held = (int) Math.min(Integer.MAX_VALUE, held + entries);
        if (held >= count() || Times.due(deadlineNs, nowNs)) {
            held = 0;
            return false;
        }
        return true;
    }

    /** How many entries share an event now. */
    public int count() {
        if (!adaptive) {
            return mostCount;
        }
        long expected = periodNs / Math.max(1, gapNs);
        return expected < 2 ? 1 : (int) Math.min(mostCount, expected);
    }

    /** Until when the event that is held back waits. */
    public long deadlineNs() {
        return deadlineNs;
    }

    public boolean holding() {
        return held > 0;
    }

    /** The event that was held back has been signalled. */
    public void signalled() {
        held = 0;
    }
}
