package io.verbena.verbs;

import java.time.Duration;

/**
 * Attributes of an RNIC that concern iWARP only; other transports ignore them. Start from {@link #defaults()} and change
 * what matters, by the {@code with…} methods or, for several attributes at once, by {@link #toBuilder()}. Immutable.
 *
 * @param crc whether connections request a checksum on every frame; a peer that requests one always gets it
 * @param markers whether connections request MPA markers in the frames they receive
 * @param maxFpduPayloadBytes maximum payload of one frame, 64 to 64,750; on a real network 1,424 bytes fit one TCP
 *     segment
 * @param socketBufferBytes requested size of the buffers of TCP sockets; 0 leaves the choice to the system
 * @param tcp the TCP under the connections
 * @param guesses whether a Write that arrives after a gap in the TCP stream is placed although it is not certain that a frame
 *     starts there. It concerns peers that send no markers, over the TCP of the library, with checksums. A wrong guess is taken
 *     back, but may have changed memory that the peer may write: enable this only if the peer chooses the contents of its
 *     messages itself, or keeps its remote keys secret
 * @param direct whether a peer process of the same user on this host may access regions that it has keys for without the engine
 *     of this RNIC, and this RNIC those of the peer, if both were opened with this option and are connected through shared memory.
 *     Such a peer can write to a whole region, whatever its key permits: enable this only for programs that trust each other
 * @param leastDirectBytes regions of fewer bytes are not accessed directly, because each of them needs a file descriptor and pages of
 *     memory of its own, 1 or more
 * @param closeTimeout maximum time without a transferred byte, after one side has closed a connection, until the other side has closed
 *     it too. A longer one suits peers that may be stopped for a while
 */
public record IwarpOptions(
        boolean crc,
        boolean markers,
        int maxFpduPayloadBytes,
        int socketBufferBytes,
        TcpCarrier tcp,
        boolean guesses,
        boolean direct,
        int leastDirectBytes,
        Duration closeTimeout) {

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration LONGEST_CLOSE_TIMEOUT = Duration.ofDays(1);
    private static final int DEFAULT_FPDU_PAYLOAD_BYTES = 32_768;
    private static final int LEAST_FPDU_PAYLOAD_BYTES = 64;
    private static final int MOST_FPDU_PAYLOAD_BYTES = 64_750;
    private static final int LEAST_DIRECT_BYTES = 65_536;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a value is out of range
     */
    public IwarpOptions {
        if (maxFpduPayloadBytes < LEAST_FPDU_PAYLOAD_BYTES || maxFpduPayloadBytes > MOST_FPDU_PAYLOAD_BYTES) {
            throw new IllegalArgumentException("maxFpduPayloadBytes must be 64 to 64750, not " + maxFpduPayloadBytes);
        }
        if (socketBufferBytes < 0) {
            throw new IllegalArgumentException("socketBufferBytes must be 0 or more, not " + socketBufferBytes);
        }
        if (leastDirectBytes < 1) {
            throw new IllegalArgumentException("leastDirectBytes must be 1 or more, not " + leastDirectBytes);
        }
        if (closeTimeout.isNegative() || closeTimeout.isZero() || closeTimeout.compareTo(LONGEST_CLOSE_TIMEOUT) > 0) {
            throw new IllegalArgumentException(
                    "closeTimeout must be more than 0 and at most a day, not " + closeTimeout);
        }
    }

    /**
     * No CRC, no markers, frames of 32 KiB, the system's TCP with socket buffers of its choice, no direct access and
     * none below 64 KiB, 5 s to close.
     */
    public static IwarpOptions defaults() {
        return new Builder().build();
    }

    /** A builder that starts with the values of this object. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    public IwarpOptions withCrc(boolean value) {
        return toBuilder().crc(value).build();
    }

    public IwarpOptions withMarkers(boolean value) {
        return toBuilder().markers(value).build();
    }

    public IwarpOptions withMaxFpduPayloadBytes(int value) {
        return toBuilder().maxFpduPayloadBytes(value).build();
    }

    public IwarpOptions withSocketBufferBytes(int value) {
        return toBuilder().socketBufferBytes(value).build();
    }

    public IwarpOptions withTcp(TcpCarrier value) {
        return toBuilder().tcp(value).build();
    }

    public IwarpOptions withGuesses(boolean value) {
        return toBuilder().guesses(value).build();
    }

    public IwarpOptions withDirect(boolean value) {
        return toBuilder().direct(value).build();
    }

    public IwarpOptions withLeastDirectBytes(int value) {
        return toBuilder().leastDirectBytes(value).build();
    }

    public IwarpOptions withCloseTimeout(Duration value) {
        return toBuilder().closeTimeout(value).build();
    }

    /** Collects the attributes; {@link #build()} checks them together. Not thread-safe. */
    public static final class Builder {
        private boolean crc;
        private boolean markers;
        private int maxFpduPayloadBytes = DEFAULT_FPDU_PAYLOAD_BYTES;
        private int socketBufferBytes;
        private TcpCarrier tcp = TcpCarrier.KERNEL;
        private boolean guesses;
        private boolean direct;
        private int leastDirectBytes = LEAST_DIRECT_BYTES;
        private Duration closeTimeout = CLOSE_TIMEOUT;

        private Builder() {}

        private Builder(IwarpOptions from) {
            crc = from.crc;
            markers = from.markers;
            maxFpduPayloadBytes = from.maxFpduPayloadBytes;
            socketBufferBytes = from.socketBufferBytes;
            tcp = from.tcp;
            guesses = from.guesses;
            direct = from.direct;
            leastDirectBytes = from.leastDirectBytes;
            closeTimeout = from.closeTimeout;
        }

        public Builder crc(boolean value) {
            crc = value;
            return this;
        }

        public Builder markers(boolean value) {
            markers = value;
            return this;
        }

        public Builder maxFpduPayloadBytes(int value) {
            maxFpduPayloadBytes = value;
            return this;
        }

        public Builder socketBufferBytes(int value) {
            socketBufferBytes = value;
            return this;
        }

        public Builder tcp(TcpCarrier value) {
            tcp = value;
            return this;
        }

        public Builder guesses(boolean value) {
            guesses = value;
            return this;
        }

        public Builder direct(boolean value) {
            direct = value;
            return this;
        }

        public Builder leastDirectBytes(int value) {
            leastDirectBytes = value;
            return this;
        }

        public Builder closeTimeout(Duration value) {
            closeTimeout = value;
            return this;
        }

        /**
         * The options.
         *
         * @throws IllegalArgumentException if a value is out of range
         */
        public IwarpOptions build() {
            return new IwarpOptions(
                    crc,
                    markers,
                    maxFpduPayloadBytes,
                    socketBufferBytes,
                    tcp,
                    guesses,
                    direct,
                    leastDirectBytes,
                    closeTimeout);
        }
    }
}
