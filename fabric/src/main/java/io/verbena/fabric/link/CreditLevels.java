package io.verbena.fabric.link;

import java.util.Arrays;

/**
 * Finds credits that were lost although their flit arrived. A sender that has data and no credit for a while asks for the levels of the receiver's
 * buffers. The answer states how many places of a lane's buffer the sender cannot use, and which flit the receiver expects: all places but these
 * and those of later flits are credits. Each further question waits twice as long, up to a limit, because most senders without credits are congested.
 */
public final class CreditLevels {

    /** The first question follows after this many times the patience of a link. */
    private static final int PATIENCE = 8;

    /** The longest interval between questions, as a multiple of the first one. */
    private static final int MOST_INTERVALS = 4;

    private static final int HALF = 16;
    private static final long LOW = 0xffff;

    private final int bufferFlits;
    private final int lanes;
    private final LaneCredits credits;
    private final long[] block;
    private final long[] unacknowledged;
    private final BitErrors losses;
    private final long[] askAt;
    private final long[] interval;
    private final long[] longest;
    /** Lanes of each port whose level the other end has asked for, a bit for each. */
    private final int[] asked;

    private boolean any;
    private long lost;
    private long restored;

    /** Levels of the links with these blocks and flits; see {@link Links}. */
    CreditLevels(LinkSettings settings, LaneCredits credits, long[] block, long[] unacknowledged) {
        this.credits = credits;
        this.block = block;
        this.unacknowledged = unacknowledged;
        bufferFlits = settings.bufferFlits();
        lanes = settings.lanes();
        int ports = block.length >> Links.BLOCK_SHIFT;
        losses = new BitErrors(ports, ~settings.seed());
        askAt = new long[ports];
        Arrays.fill(askAt, TimingWheel.NEVER);
        interval = new long[ports];
        longest = new long[ports];
        asked = new int[ports];
    }

    /** Places of the receive buffer of a port's lane that the sender at the other end cannot use: flits are there, or credits are owed. */
    public int held(int port, int lane) {
        return credits.held(port, lane);
    }

    /** Places of the receive buffer of a lane. */
    public int bufferFlits() {
        return bufferFlits;
    }

    // The fault.

    /** From now on, credits in a flit that a port sends are lost with this probability, although the flit arrives. */
    public void loss(int port, double rate) {
        losses.rate(port, rate);
        any = true;
    }

    /** Whether the credits in a flit from a port are lost. */
    boolean loses(int from, int count) {
        if (!any || count == 0 || !losses.next(from)) {
            return false;
        }
        lost += count;
        return true;
    }

    /** Credits that were lost by the fault. */
    public long lost() {
        return lost;
    }

    /** Credits that senders have found to be missing. */
    public long restored() {
        return restored;
    }

    // The sender without credits.

    /** A lane of a port has data and no credit from now on. Returns when to ask. */
    long starves(int p, long now, long patience) {
        interval[p] = PATIENCE * patience;
        longest[p] = MOST_INTERVALS * interval[p];
        askAt[p] = now + interval[p];
        return askAt[p];
    }

    /** Whether a port that still has no credits asks now. */
    boolean asks(int p, long now) {
        if (askAt[p] > now) {
            return false;
        }
        interval[p] = Math.min(longest[p], 2 * interval[p]);
        askAt[p] = now + interval[p];
        return true;
    }

    /** When a port asks next. */
    long askAt(int p) {
        return askAt[p];
    }

    // The receiver, which answers.

    /** The other end of a port's link asks for all levels. */
    void ask(int p) {
        asked[p] = (1 << lanes) - 1;
    }

    /** Whether a port owes an answer. */
    boolean owes(int p) {
        return asked[p] != 0;
    }

    /** The next answer, a flit with the number of the flit that the port expects. */
    long answer(int p) {
        int lane = Integer.numberOfTrailingZeros(asked[p]);
        asked[p] &= asked[p] - 1;
        return FlitWord.level(lane, credits.held(p, lane) << HALF | (int) (field(p, Links.EXPECTED) & LOW));
    }

    // The sender again.

    /** Credits of its lane that a port lacks, by an answer. */
    int missing(int p, long word) {
        long next = field(p, Links.NEXT);
        long first = next - (next - FlitWord.flit(word) & LOW);
        // Of flits before the ring nothing is known any more. The port asks again if it needs to.
        if (next - first > (int) field(p, Links.RING)) {
            return 0;
        }
        int lane = FlitWord.lane(word);
        int held = FlitWord.flit(word) >>> HALF;
        int count = Math.max(0, bufferFlits - held - underWay(p, lane, first) - credits.available(p, lane));
        restored += count;
        return count;
    }

    /** Flits of a lane that a port has sent from a number on. */
    private int underWay(int p, int lane, long first) {
        int count = 0;
        for (long number = first; number < field(p, Links.NEXT); number++) {
            long word = kept(p, number);
            count += FlitWord.type(word) == FlitType.DATA.code() && FlitWord.lane(word) == lane ? 1 : 0;
        }
        return count;
    }

    /** Whether a port will have credits of a lane: they are on their way back, or were lost. Not those that wait for others. */
    public boolean willCome(int port, int lane) {
        int to = (int) field(port, Links.OTHER);
        if (credits.owesBatch(to, lane)) {
            return true;
        }
        int returning = 0;
        for (long number = field(port, Links.EXPECTED); number < field(to, Links.NEXT); number++) {
            long word = kept(to, number);
            returning += FlitWord.creditLane(word) == lane ? FlitWord.credits(word) : 0;
        }
        return returning > 0
                || credits.available(port, lane)
                                + credits.held(to, lane)
                                + underWay(port, lane, field(to, Links.EXPECTED))
                        < bufferFlits;
    }

    private long field(int p, int which) {
        return block[(p << Links.BLOCK_SHIFT) + which];
    }

    private long kept(int p, long number) {
        long ring = field(p, Links.RING);
        return unacknowledged[(int) (ring >>> 32) + ((int) number & (int) ring - 1)];
    }
}
