package io.verbena.fabric.link;

import java.util.Arrays;

/**
 * The credits of every lane of every port: those that its sender may spend, and those that its receiver owes to the other end.
 * Every place of a receive buffer is exactly one of: a credit of the sender, on the way with a flit, used, owed, or on the way back.
 *
 * <p>Where buffers are large, owed credits wait for data that carries them, or for others of their lane; those that are due do not
 * wait. Credits wait only while the sender has some left: a sender without any may be in the middle of a frame, and what occupies the
 * buffer may wait for the rest of that frame to pass.
 */
final class LaneCredits {

    // Of the lanes with owed credits, a bit for each, those that must not wait for data to carry them.
    private static final int DUE_SHIFT = 16;
    private static final long DUE = 1L << DUE_SHIFT;

    private final int laneShift;
    private final int bufferFlits;
    /** For each lane of a port the credits of its sender, then those that its receiver owes to the other end. */
    private final int[] credits;

    /** For each lane of a port the places of its receive buffer that are used or whose credits it owes: those the sender cannot use. */
    private final int[] held;

    private final int[] spendable;
    private final long[] owed;
    private final int[] batch;

    /** Credits of ports whose links have this timing. */
    LaneCredits(LinkTiming[] timings, LinkSettings settings) {
        int ports = timings.length;
        laneShift = Links.laneShift(settings.lanes());
        bufferFlits = settings.bufferFlits();
        credits = new int[2 * ports << laneShift];
        held = new int[ports << laneShift];
        spendable = new int[ports];
        Arrays.fill(spendable, (1 << settings.lanes()) - 1);
        owed = new long[ports];
        batch = new int[ports];
        for (int p = 0; p < ports; p++) {
            batch[p] = Math.max(1, (bufferFlits - 4 * timings[p].roundTripFlits()) / 4);
            for (int lane = 0; lane < settings.lanes(); lane++) {
                credits[2 * line(p, lane)] = bufferFlits;
            }
        }
    }

    private int line(int p, int lane) {
        return (p << laneShift) + lane;
    }

    // The sender.

    /** The number of flits that a port may send on a lane. */
    int available(int p, int lane) {
        return credits[2 * line(p, lane)];
    }

    /** The lanes on which a port may send, a bit for each. */
    int spendable(int p) {
        return spendable[p];
    }

    /** A flit is sent. */
    void spend(int p, int lane) {
        assert (spendable[p] >> lane & 1) != 0 : "a lane without credit does not send";
        if (--credits[2 * line(p, lane)] == 0) {
            spendable[p] &= ~(1 << lane);
        }
    }

    /** Credits have come back; returns whether the lane had none before. */
    boolean add(int p, int lane, int count) {
        credits[2 * line(p, lane)] += count;
        assert count >= 0 && credits[2 * line(p, lane)] <= bufferFlits
                : "no more credits than places in the buffer of the receiver";
        boolean first = (spendable[p] >> lane & 1) == 0;
        spendable[p] |= 1 << lane;
        return first;
    }

    // The receiver.

    /** A flit occupies a place; returns whether the credits that are owed become due. */
    boolean use(int p, int lane) {
        int line = line(p, lane);
        assert held[line] < bufferFlits : "a flit arrives only where it has a place";
        boolean due = ++held[line] == bufferFlits && credits[2 * line + 1] > 0;
        owed[p] |= due ? DUE << lane : 0;
        return due;
    }

    /** A place is free again; returns whether the credits that are owed are due. */
    boolean free(int p, int lane) {
        int line = line(p, lane);
        int count = ++credits[2 * line + 1];
        assert count <= held[line] : "no more places become free than flits have occupied";
        boolean due = count >= batch[p] || held[line] == bufferFlits;
        owed[p] |= 1L << lane | (due ? DUE << lane : 0);
        return due;
    }

    /** The number of places of a lane's buffer that the sender cannot use. */
    int held(int p, int lane) {
        return held[line(p, lane)];
    }

    /** Whether a port owes a batch of credits of a lane, which is sent without waiting for others. */
    boolean owesBatch(int p, int lane) {
        return credits[2 * line(p, lane) + 1] >= batch[p];
    }

    /** Whether a port owes credits that are due. */
    boolean anyDue(int p) {
        return owed[p] >>> DUE_SHIFT != 0;
    }

    /** Takes owed credits of one lane, those that are due first, as fields of a {@link FlitWord}; 0 if none are owed. */
    long takeOwed(int p, int turn) {
        int lanesOwed = (int) owed[p] & 0xffff;
        if (lanesOwed == 0) {
            return 0;
        }
        int due = (int) (owed[p] >>> DUE_SHIFT);
        lanesOwed = due == 0 ? lanesOwed : due;
        int rotated = lanesOwed & -1 << turn;
        int lane = Integer.numberOfTrailingZeros(rotated == 0 ? lanesOwed : rotated);
        int index = 2 * line(p, lane) + 1;
        int count = Math.min(credits[index], FlitHeader.MOST_CREDITS);
        credits[index] -= count;
        held[index >> 1] -= count;
        assert held[index >> 1] >= 0;
        if (credits[index] == 0) {
            owed[p] &= ~(1L << lane);
        }
        if (credits[index] < batch[p]) {
            owed[p] &= ~(DUE << lane);
        }
        return FlitWord.credits(lane, count);
    }
}
