package io.verbena.ib;

import io.verbena.base.Digest;
import io.verbena.base.Times;

/**
 * The sending rate of one flow, controlled by congestion notifications. It follows the reaction point of DCQCN
 * ("Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, section 5). A notification lowers the rate by a
 * fraction that grows with the recent frequency of notifications. Without notifications the rate recovers: five times
 * it halves the distance to the previous rate ("fast recovery"), then it grows by a fixed step, then by a larger one.
 * At the line rate there is no limit and no timer.
 */
final class RateControl {

    /** Parameters of the algorithm. */
    record Figures(double lineBytesPerSecond, double leastBytesPerSecond, double stepBytesPerSecond, int burstBytes) {

        /** For a line of 10 Gbit/s: at least 10 Mbit/s, steps of 40 Mbit/s, bursts of one system call. */
        static final Figures TEN_GIGABIT = new Figures(1.25e9, 1.25e6, 5e6, 64 * 1024);
    }

    private static final double GAIN = 1.0 / 256;
    private static final int FAST_RECOVERY = 5;
    private static final int LARGE_STEPS = 10;
    private static final long PERIOD_NS = 55_000;
    private static final double BYTES_PER_STAGE = 10e6;
    private static final double FULL = 0.999;

    private final Figures figures;
    private boolean limited;
    private double rate;
    private double target;
    private double alpha = 1;
    private double bytes;
    private int periods;
    private int byteStages;
    private long periodEndsNs;
    private long sendAtNs;

    RateControl(Figures figures) {
        this.figures = figures;
        rate = figures.lineBytesPerSecond();
        target = rate;
    }

    /** Current limit in bytes per second. */
    double rate() {
        return rate;
    }

    /** Whether the rate is below that of the line. */
    boolean limited() {
        return limited;
    }

    /** A congestion notification has arrived. */
    void onNotification(long nowNs) {
        if (!limited) {
            sendAtNs = nowNs;
        }
        limited = true;
        target = rate;
        rate = Math.max(figures.leastBytesPerSecond(), rate * (1 - alpha / 2));
        alpha = (1 - GAIN) * alpha + GAIN;
        bytes = 0;
        periods = 0;
        byteStages = 0;
        periodEndsNs = Times.after(nowNs, PERIOD_NS);
    }

    /** Whether a packet may be sent now. */
    boolean maySend(long nowNs) {
        return !limited || Times.due(sendAtNs, nowNs);
    }

    /** Counts bytes that were sent. */
    void sent(int count, long nowNs) {
        if (!limited) {
            return;
        }
        // Unused time counts up to one burst, because a system call carries many packets.
        long unusedNs = (long) (figures.burstBytes() / rate * 1e9);
        long earliestNs = nowNs - unusedNs;
        long fromNs = sendAtNs - earliestNs < 0 ? earliestNs : sendAtNs;
        sendAtNs = Times.after(fromNs, (long) (count / rate * 1e9));
        bytes += count;
        while (bytes >= BYTES_PER_STAGE && limited) {
            bytes -= BYTES_PER_STAGE;
            byteStages++;
            increase();
        }
    }

    /** The time at which {@link #onDeadline} is due: the rate grows, or a packet may be sent. */
    long nextDeadlineNs(long nowNs) {
        if (!limited) {
            return Times.NEVER;
        }
        return maySend(nowNs) ? periodEndsNs : Times.earlier(periodEndsNs, sendAtNs);
    }

    void onDeadline(long nowNs) {
        while (limited && Times.due(periodEndsNs, nowNs)) {
            periodEndsNs = Times.after(periodEndsNs, PERIOD_NS);
            alpha *= 1 - GAIN;
            periods++;
            increase();
        }
    }

    private void increase() {
        int stage = Math.max(periods, byteStages);
        if (stage > FAST_RECOVERY) {
            int steps = Math.min(periods, byteStages) > FAST_RECOVERY ? LARGE_STEPS : 1;
            target = Math.min(figures.lineBytesPerSecond(), target + steps * figures.stepBytesPerSecond());
        }
        rate = (rate + target) / 2;
        if (rate >= FULL * figures.lineBytesPerSecond()) {
            rate = figures.lineBytesPerSecond();
            target = rate;
            limited = false;
        }
    }

    long stateDigest(long digest) {
        long d = Digest.mix(digest, Double.doubleToLongBits(rate));
        d = Digest.mix(d, Double.doubleToLongBits(alpha));
        if (!limited) {
            return d;
        }
        d = Digest.mix(Digest.mix(d, Double.doubleToLongBits(target)), Double.doubleToLongBits(bytes));
        return Digest.mix(Digest.mix(Digest.mix(d, sendAtNs), periodEndsNs), (long) periods << 32 | byteStages);
    }
}
