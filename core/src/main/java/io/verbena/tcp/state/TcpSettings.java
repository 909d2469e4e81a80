package io.verbena.tcp.state;

/**
 * The settings of a TCP host. Start from {@link #defaults()}.
 *
 * @param mtu size of the largest IP packet that the carrier accepts, 576 to 65,535
 * @param receiveBytes receive window of a connection, at least 64 KiB
 * @param sendBytes send buffer of a connection, at least 64 KiB
 * @param congestion the congestion control
 * @param features the options that are offered
 * @param timers times and bounds
 */
public record TcpSettings(
        int mtu, int receiveBytes, int sendBytes, Congestion congestion, Features features, Timers timers) {

    private static final int LEAST_MTU = 576;
    public static final int MOST_MTU = 65_535;

    /** Least size of a buffer. */
    public static final int LEAST_BUFFER = 64 * 1024;

    /** Largest size of a buffer. */
    public static final int MOST_BUFFER = 1 << 29;

    private static final int DEFAULT_BUFFER = 1 << 20;

    /** The algorithms of congestion control. */
    public enum Congestion {
        NEW_RENO,
        CUBIC
    }

    /**
     * The options that a SYN offers.
     *
     * @param sack selective acknowledgments (RFC 2018)
     * @param timestamps timestamps (RFC 7323)
     * @param windowScale whether windows are scaled (RFC 7323)
     * @param ecn explicit congestion notification (RFC 3168)
     */
    public record Features(boolean sack, boolean timestamps, boolean windowScale, boolean ecn) {

        /** Without explicit congestion notification. */
        public Features(boolean sack, boolean timestamps, boolean windowScale) {
            this(sack, timestamps, windowScale, false);
        }

        /** All of them. */
        public static Features all() {
            return new Features(true, true, true, true);
        }
    }

    /**
     * Times and bounds in nanoseconds.
     *
     * @param leastTimeoutNs minimum of the retransmission timeout
     * @param delayedAckNs maximum delay of an acknowledgment, at most 500 ms
     * @param timeWaitNs duration of TIME-WAIT, twice the maximum segment lifetime
     * @param giveUpNs a connection ends if the peer acknowledges nothing for this time
     * @param giveUpSynNs the same while the connection is set up
     */
    public record Timers(long leastTimeoutNs, long delayedAckNs, long timeWaitNs, long giveUpNs, long giveUpSynNs) {

        private static final long MS = 1_000_000;
        private static final long S = 1_000 * MS;

        /** Checks the ranges. */
        public Timers {
            // RFC 9293 section 3.8.6.3 [1]: an acknowledgment is delayed by less than half a second.
            if (delayedAckNs < 0 || delayedAckNs >= 500 * MS) {
                throw new IllegalArgumentException("delayedAckNs must be less than 500 ms, not " + delayedAckNs);
            }
            if (leastTimeoutNs <= 0 || timeWaitNs < 0 || giveUpNs <= 0 || giveUpSynNs <= 0) {
                throw new IllegalArgumentException("times must be greater than 0");
            }
        }

        /** 200 ms, 40 ms, 60 s, 120 s, and 180 s for the SYN. */
        public static Timers defaults() {
            // RFC 9293 section 3.8.3 [4]: at least 3 minutes for a SYN; 100 s for data are a SHOULD.
            return new Timers(200 * MS, 40 * MS, 60 * S, 120 * S, 180 * S);
        }

        public Timers withTimeWaitNs(long value) {
            return new Timers(leastTimeoutNs, delayedAckNs, value, giveUpNs, giveUpSynNs);
        }
    }

    /** Checks the ranges. */
    public TcpSettings {
        if (mtu < LEAST_MTU || mtu > MOST_MTU) {
            throw new IllegalArgumentException("mtu must be 576 to 65535, not " + mtu);
        }
        if (receiveBytes < LEAST_BUFFER
                || sendBytes < LEAST_BUFFER
                || receiveBytes > MOST_BUFFER
                || sendBytes > MOST_BUFFER) {
            throw new IllegalArgumentException("receiveBytes and sendBytes must be 64 KiB to 512 MiB");
        }
    }

    /** MTU 1500, buffers of 1 MiB, CUBIC, all features. */
    public static TcpSettings defaults() {
        return new TcpSettings(
                1500, DEFAULT_BUFFER, DEFAULT_BUFFER, Congestion.CUBIC, Features.all(), Timers.defaults());
    }

    public TcpSettings withMtu(int value) {
        return new TcpSettings(value, receiveBytes, sendBytes, congestion, features, timers);
    }

    public TcpSettings withBuffers(int receive, int send) {
        return new TcpSettings(mtu, receive, send, congestion, features, timers);
    }

    public TcpSettings withCongestion(Congestion value) {
        return new TcpSettings(mtu, receiveBytes, sendBytes, value, features, timers);
    }

    public TcpSettings withFeatures(Features value) {
        return new TcpSettings(mtu, receiveBytes, sendBytes, congestion, value, timers);
    }

    public TcpSettings withTimers(Timers value) {
        return new TcpSettings(mtu, receiveBytes, sendBytes, congestion, features, value);
    }
}
