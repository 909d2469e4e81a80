package io.verbena.ib.paths;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import java.util.Arrays;

/**
 * The window of a connection of several paths, by marks and delays, and the paths that came back without a mark. The
 * delay of a packet is its round trip without the shortest one of its path, so that paths of different length can be
 * compared. One late path says little about the others: what counts is the median of the last delays of all paths.
 *
 * <pre>
 *                 delay below the target          delay at or above the target
 *   no mark       grow, faster if nothing waits   grow a little
 *   mark          only avoid the path             shrink, once per round trip
 * </pre>
 *
 * A packet that was lost or trimmed leaves the window. If packets are lost while they wait, the window becomes what was
 * answered in the last round trip, and marks of what was sent before count no more.
 */
final class Congestion {

    /** No path came back without a mark. */
    static final int NO_PATH = -1;

    /** The shortest delay that is taken for a queue: shorter ones are those of processes. */
    static final long LEAST_TARGET_NS = 100_000;

    /** Nothing waits if the delay is below this part of the target. */
    private static final int IDLE_PART = 8;

    /** Packets by which the window grows in a round trip: at most without delay, and with a long one. */
    private static final double GROWTH = 4;

    private static final double FAIR_GROWTH = 1;

    /** Growth per answered packet after a whole window without delay. */
    private static final double FAST_GROWTH = 0.25;

    private static final double SHRINK = 0.8;
    private static final double MOST_SHRINK = 0.5;
    private static final int SAMPLES = 8;

    /** Bursts after a mark that take a path without one. */
    private static final int RECYCLED_BURSTS = 256;

    private final boolean on;
    private final int most;
    private double window;

    private final long[] delays = new long[SAMPLES];
    private final long[] sorted = new long[SAMPLES];
    private int samples;
    private long medianNs;

    /** The shortest round trip of the path that answered last. */
    private long baseNs;

    // Since the last call of apply().
    private int clean;
    private int marked;

    /** Packets answered in succession without delay. */
    private double idle;

    private long shrunkNs;
    private boolean shrunk;

    // The round trip in progress.
    private boolean inRound;
    private long roundEndsNs;
    private int answeredInRound;
    private boolean full;

    /** Marks of transmissions before this one do not count. */
    private int countsFrom;

    private final byte[] cleanPaths = new byte[SAMPLES];
    private int cleanCount;

    /** Bursts for which paths without marks are preferred. */
    private int avoiding;

    private int cleanFirst;

    private Congestion(boolean on, int most) {
        this.on = on;
        this.most = most;
        window = most;
    }

    static Congestion off() {
        return new Congestion(false, Integer.MAX_VALUE);
    }

    /** A window of at most and at first this number of packets. */
    static Congestion of(int most) {
        return new Congestion(true, most);
    }

    int windowPackets() {
        return (int) window;
    }

    /** Packets after which an acknowledgement is requested: an eighth of the window. */
    int acknowledgeEvery() {
        return Math.max(1, windowPackets() / SAMPLES);
    }

    /** Whether more packets may be sent. A window of less than a packet permits one. */
    boolean admits(int inFlight, int packets) {
        return !on || inFlight == 0 || inFlight + packets <= (int) window;
    }

    /** A packet that was sent once was answered. */
    void measured(long delayNs, long shortestNs) {
        delays[samples++ & SAMPLES - 1] = delayNs;
        baseNs = shortestNs;
    }

    /** The round trip of a path without queues is known. */
    void shortest(long roundTripNs) {
        baseNs = roundTripNs;
    }

    /**
     * A packet was answered.
     *
     * @param order its position among all transmissions
     */
    void answered(int path, boolean mark, int order) {
        if (mark) {
            marked += order - countsFrom >= 0 ? 1 : 0;
            avoiding = RECYCLED_BURSTS;
        } else {
            clean++;
            keep(path);
        }
    }

    private void keep(int path) {
        if (!on || cleanCount > 0 && cleanPaths[cleanFirst + cleanCount - 1 & SAMPLES - 1] == path) {
            return;
        }
        cleanPaths[cleanFirst + cleanCount & SAMPLES - 1] = (byte) path;
        if (cleanCount < SAMPLES) {
            cleanCount++;
        } else {
            cleanFirst++;
        }
    }

    /**
     * The path that came back without a mark first and was not named since, or {@link #NO_PATH}. Without marks of late
     * all paths are equally good, and take turns.
     */
    int takeClean() {
        if (cleanCount == 0 || avoiding == 0) {
            return NO_PATH;
        }
        avoiding--;
        cleanCount--;
        return cleanPaths[cleanFirst++ & SAMPLES - 1];
    }

    /** A packet was lost although its path works, or a switch has cut off its payload. */
    void lost(boolean trimmed) {
        if (on) {
            window = Math.max(1, window - 1);
            full |= trimmed || late();
        }
    }

    /** Nothing was answered in time. */
    void timedOut() {
        if (on) {
            window = Math.max(1, window / 2);
        }
    }

    private long targetNs() {
        return Math.max(LEAST_TARGET_NS, baseNs / 2);
    }

    private boolean late() {
        return medianNs >= targetNs();
    }

    /**
     * Draws conclusions from the packets that were answered since the last call.
     *
     * @param inFlight packets without an answer
     * @param nextOrder position of the next transmission
     */
    void apply(int inFlight, int nextOrder, long nowNs) {
        int count = clean + marked;
        if (!on || count == 0 && !full) {
            return;
        }
        medianNs = median();
        if (marked > 0 && late()) {
            shrink(nowNs);
        } else if (marked == 0 && count > 0 && inFlight + count >= window / 2) {
            grow(count);
        }
        answeredInRound += count;
        clean = 0;
        marked = 0;
        round(nextOrder, nowNs);
    }

    private void grow(int count) {
        long targetNs = targetNs();
        idle = medianNs < targetNs / IDLE_PART ? idle + count : 0;
        double packets = late() ? FAIR_GROWTH : GROWTH * (targetNs - medianNs) / targetNs;
        double growth = idle >= window ? count * FAST_GROWTH : packets * count / window;
        window = Math.min(most, window + growth);
    }

    private void shrink(long nowNs) {
        idle = 0;
        if (!shrunk || Times.due(shrunkNs, nowNs)) {
            shrunk = true;
            shrunkNs = Times.after(nowNs, baseNs + medianNs);
            double factor = 1 - SHRINK * (medianNs - targetNs()) / medianNs;
            window = Math.max(1, window * Math.max(MOST_SHRINK, factor));
        }
    }

    private void round(int nextOrder, long nowNs) {
        if (inRound && !Times.due(roundEndsNs, nowNs)) {
            return;
        }
        if (inRound && full) {
            window = Math.clamp(answeredInRound, 1, window);
            countsFrom = nextOrder;
            idle = 0;
        }
        full = false;
        inRound = true;
        roundEndsNs = Times.after(nowNs, baseNs + medianNs);
        answeredInRound = 0;
    }

    private long median() {
        int count = Math.min(samples, SAMPLES);
        if (count == 0) {
            return 0;
        }
        System.arraycopy(delays, 0, sorted, 0, count);
        Arrays.sort(sorted, 0, count);
        return sorted[count / 2];
    }

    long stateDigest(long digest) {
        if (!on) {
            return digest;
        }
        long d = Digest.mix(Digest.mix(digest, Double.doubleToLongBits(window)), Double.doubleToLongBits(idle));
        for (int i = 0; i < SAMPLES; i++) {
            d = Digest.mix(Digest.mix(d, delays[i]), cleanPaths[i]);
        }
        d = Digest.mix(Digest.mix(d, medianNs), baseNs);
        d = Digest.mix(Digest.mix(d, shrunkNs), roundEndsNs);
        d = Digest.mix(d, (long) samples << 32 | clean << 16 | marked);
        d = Digest.mix(d, (long) answeredInRound << 32 | countsFrom & 0xffff_ffffL);
        d = Digest.mix(d, (long) cleanFirst << 32 | cleanCount << 16 | avoiding);
        return Digest.mix(d, Digest.flags(shrunk, inRound, full));
    }
}
