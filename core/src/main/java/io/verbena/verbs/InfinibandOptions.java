package io.verbena.verbs;

import java.time.Duration;

/**
 * Attributes of an RNIC that concern the InfiniBand transport only; other transports ignore them. Start from
 * {@link #defaults()} and change what matters, by the {@code with…} methods or, for several attributes at once, by
 * {@link #toBuilder()}. Immutable. A connection can override some of them, see {@link ConnectionOptions}.
 *
 * @param udpPort UDP port of RoCEv2. Every value other than 4791 is an extension that works between two Verbenas
 * @param pathMtuBytes largest payload of a packet: 256, 512, 1024, 2048 or 4096; 0 for the largest that fits the
 *     interface
 * @param ackTimeout time without an acknowledgement after which requests are sent again; zero waits without limit. The
 *     transport rounds it to 4.096 microseconds times a power of two
 * @param retryCount maximum number of retransmissions of a request, 0 to 7
 * @param receiverNotReadyRetries maximum number of retries while the peer has no receive posted, 0 to 6; 7 is unlimited
 * @param patience minimum silence of the peer of a reliable connection before the connection is lost, unless the system of the peer
 *     reports that its port is gone: retries, and the probes of an idle connection, continue for this time. Zero, the default, leaves the
 *     decision to the number of retries and the keep-alive
 * @param selectiveRepeat whether only lost packets are sent again: an extension that both ends must offer. Against any
 *     other peer the transport sends everything from the first lost packet on
 * @param congestionControl whether connections to another Verbena lower their rate when routers mark packets (ECN). A
 *     socket of the JDK does not show the marks, so that a connection through one has no congestion control
 * @param datagramWrites whether queue pairs of unreliable datagrams send and execute RDMA Writes of at most the path MTU:
 *     an extension between two Verbenas that both enable it
 * @param trafficClass IPv4 type of service or IPv6 traffic class of packets, 0 to 255
 */
public record InfinibandOptions(
        int udpPort,
        int pathMtuBytes,
        Duration ackTimeout,
        int retryCount,
        int receiverNotReadyRetries,
        Duration patience,
        boolean selectiveRepeat,
        boolean congestionControl,
        boolean datagramWrites,
        int trafficClass) {

    /** The port that IANA assigned to RoCEv2. */
    public static final int ROCE_UDP_PORT = 4791;

    private static final Duration LONGEST_ACK_TIMEOUT = Duration.ofHours(2);
    private static final Duration LONGEST_PATIENCE = Duration.ofDays(1);
    private static final int LEAST_MTU_BYTES = 256;
    private static final int MOST_MTU_BYTES = 4096;
    private static final int MOST_RETRIES = 7;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a value is out of range
     */
    public InfinibandOptions {
        require(udpPort >= 1 && udpPort <= 65_535, "udpPort must be 1 to 65535, not " + udpPort);
        require(
                pathMtuBytes == 0
                        || Integer.bitCount(pathMtuBytes) == 1
                                && pathMtuBytes >= LEAST_MTU_BYTES
                                && pathMtuBytes <= MOST_MTU_BYTES,
                "pathMtuBytes must be 256, 512, 1024, 2048 or 4096, or 0 for the choice of the RNIC, not "
                        + pathMtuBytes);
        require(
                !ackTimeout.isNegative() && ackTimeout.compareTo(LONGEST_ACK_TIMEOUT) <= 0,
                "ackTimeout must be zero to 2 hours, not " + ackTimeout);
        require(retryCount >= 0 && retryCount <= MOST_RETRIES, "retryCount must be 0 to 7, not " + retryCount);
        require(
                receiverNotReadyRetries >= 0 && receiverNotReadyRetries <= MOST_RETRIES,
                "receiverNotReadyRetries must be 0 to 7, not " + receiverNotReadyRetries);
        require(
                !patience.isNegative() && patience.compareTo(LONGEST_PATIENCE) <= 0,
                "patience must be zero to a day, not " + patience);
        require(trafficClass >= 0 && trafficClass <= 255, "trafficClass must be 0 to 255, not " + trafficClass);
    }

    private static void require(boolean condition, String sentence) {
        if (!condition) {
            throw new IllegalArgumentException(sentence);
        }
    }

    /**
     * UDP port 4791, the largest path MTU of the interface, 67 ms, 7 retries, unlimited retries while the peer has no
     * receive posted, no patience, selective repeat and congestion control offered, traffic class 0.
     */
    public static InfinibandOptions defaults() {
        return new Builder().build();
    }

    /** A builder that starts with the values of this object. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    public InfinibandOptions withUdpPort(int value) {
        return toBuilder().udpPort(value).build();
    }

    public InfinibandOptions withPathMtuBytes(int value) {
        return toBuilder().pathMtuBytes(value).build();
    }

    public InfinibandOptions withAckTimeout(Duration value) {
        return toBuilder().ackTimeout(value).build();
    }

    /** With these maximum numbers of retries, in general and while the peer has no receive posted. */
    public InfinibandOptions withRetries(int retries, int notReadyRetries) {
        return toBuilder().retries(retries, notReadyRetries).build();
    }

    public InfinibandOptions withPatience(Duration value) {
        return toBuilder().patience(value).build();
    }

    public InfinibandOptions withSelectiveRepeat(boolean value) {
        return toBuilder().selectiveRepeat(value).build();
    }

    public InfinibandOptions withCongestionControl(boolean value) {
        return toBuilder().congestionControl(value).build();
    }

    public InfinibandOptions withDatagramWrites(boolean value) {
        return toBuilder().datagramWrites(value).build();
    }

    public InfinibandOptions withTrafficClass(int value) {
        return toBuilder().trafficClass(value).build();
    }

    /** Collects the attributes; {@link #build()} checks them together. Not thread-safe. */
    public static final class Builder {
        private int udpPort = ROCE_UDP_PORT;
        private int pathMtuBytes;
        private Duration ackTimeout = Duration.ofNanos(4096L << 14);
        private int retryCount = MOST_RETRIES;
        private int receiverNotReadyRetries = MOST_RETRIES;
        private Duration patience = Duration.ZERO;
        private boolean selectiveRepeat = true;
        private boolean congestionControl = true;
        private boolean datagramWrites;
        private int trafficClass;

        private Builder() {}

        private Builder(InfinibandOptions from) {
            udpPort = from.udpPort;
            pathMtuBytes = from.pathMtuBytes;
            ackTimeout = from.ackTimeout;
            retryCount = from.retryCount;
            receiverNotReadyRetries = from.receiverNotReadyRetries;
            patience = from.patience;
            selectiveRepeat = from.selectiveRepeat;
            congestionControl = from.congestionControl;
            datagramWrites = from.datagramWrites;
            trafficClass = from.trafficClass;
        }

        public Builder udpPort(int value) {
            udpPort = value;
            return this;
        }

        public Builder pathMtuBytes(int value) {
            pathMtuBytes = value;
            return this;
        }

        public Builder ackTimeout(Duration value) {
            ackTimeout = value;
            return this;
        }

        /** Maximum numbers of retries, in general and while the peer has no receive posted. */
        public Builder retries(int retries, int notReadyRetries) {
            retryCount = retries;
            receiverNotReadyRetries = notReadyRetries;
            return this;
        }

        public Builder patience(Duration value) {
            patience = value;
            return this;
        }

        public Builder selectiveRepeat(boolean value) {
            selectiveRepeat = value;
            return this;
        }

        public Builder congestionControl(boolean value) {
            congestionControl = value;
            return this;
        }

        public Builder datagramWrites(boolean value) {
            datagramWrites = value;
            return this;
        }

        public Builder trafficClass(int value) {
            trafficClass = value;
            return this;
        }

        /**
         * The options.
         *
         * @throws IllegalArgumentException if a value is out of range
         */
        public InfinibandOptions build() {
            return new InfinibandOptions(
                    udpPort,
                    pathMtuBytes,
                    ackTimeout,
                    retryCount,
                    receiverNotReadyRetries,
                    patience,
                    selectiveRepeat,
                    congestionControl,
                    datagramWrites,
                    trafficClass);
        }
    }
}
