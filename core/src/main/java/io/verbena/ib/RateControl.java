package io.verbena.ib;

import io.verbena.base.Digest;
import io.verbena.base.Times;

/**
 * The sending rate of one flow as congestion notifications steer it, after the reaction point of DCQCN ("Congestion Control for
 * Large-Scale RDMA Deployments", SIGCOMM 2015, section 5). A notification lowers the rate by a share that grows with the recent
 * frequency of notifications; without notifications the rate recovers: five halvings of the distance to the rate before
 * ("fast recovery"), then growth by a fixed step, then by a larger one. At the line rate there is no limit and no timer.
 */
final class RateControl {

    /** What the figures of the algorithm are. */
    record Figures(double lineBytesPerSecond, double leastBytesPerSecond, double stepBytesPerSecond, int burstBytes) {

        /** For 10 Gbit/s: at least 10 Mbit/s, in steps of 40 Mbit/s, in bursts of one system call. */
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

    /** Bytes per second that may be sent now. */
    double rate() {
        return rate;
    }

    /** A congestion notification has come. */
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

    /** Whether a packet may leave now. */
    boolean maySend(long nowNs) {
        return !limited || Times.due(sendAtNs, nowNs);
    }

    /** Bytes have left. */
    void sent(int count, long nowNs) {
        if (!limited) {
            return;
        }
        // Time that was not used counts up to one burst: a system call carries many packets.
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

    /** When {@link #onDeadline} wants to be called: when the rate grows, or a packet may leave. */
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
        return Digest.mix(Digest.mix(d, Double.doubleToLongBits(alpha)), limited ? sendAtNs : 0);
    }
}
