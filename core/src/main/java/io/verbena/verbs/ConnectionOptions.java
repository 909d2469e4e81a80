package io.verbena.verbs;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Parameters that one side contributes to a connection (rdma_conn_param). Start from {@link #defaults()} and change
 * what matters, by the {@code with…} methods or, for several parameters at once, by {@link #toBuilder()}. Immutable.
 *
 * @param privateData bytes for the application of the peer, at most {@link RnicAttributes#maxPrivateDataBytes()}
 * @param timeout maximum time to establish the connection
 * @param peerToPeer requests that either side may send first (RFC 6581); otherwise the connecting side must send first
 * @param revision MPA revision to request: 2, or 1 for old peers
 * @param keepAlive maximum silence of the peer before the connection is lost, however idle it is; zero disables the
 *     check. After half of this time the RNIC probes the peer, which the application of the peer does not notice. A
 *     process or machine that vanishes without closing its connections is detected by this check only. Unreliable
 *     connections have no keep-alive, because nothing that they send is answered
 * @param localAddress local address of the connection; empty leaves the choice to the system
 * @param retryCount InfiniBand: maximum number of retransmissions of a request, 0 to 7
 * @param receiverNotReadyRetries InfiniBand: maximum number of retries while the peer has no receive posted, 0 to 7
 * @param trafficClass type of service of the packets of the connection
 * @param paths RoCE: number of paths over which this side spreads the packets of a reliable connection, 1 to {@value #MOST_PATHS}. An
 *     extension that both sides must ask for, by a number above 1; otherwise the connection has one path. See {@link PathState}
 * @param survival how the connection survives the end of its transport, if both sides want that; empty if the end of
 *     its transport is
 *     the end of the connection
 */
public record ConnectionOptions(
        byte[] privateData,
        Duration timeout,
        boolean peerToPeer,
        int revision,
        Duration keepAlive,
        Optional<SocketAddress> localAddress,
        OptionalInt retryCount,
        OptionalInt receiverNotReadyRetries,
        OptionalInt trafficClass,
        int paths,
        Optional<SurvivalOptions> survival) {

    /** Largest number of {@link #paths()}. */
    public static final int MOST_PATHS = 64;

    /** Default of {@link #keepAlive()}. */
    public static final Duration KEEP_ALIVE = Duration.ofSeconds(30);

    private static final Duration LEAST_KEEP_ALIVE = Duration.ofMillis(8);

    /**
     * Copies the private data.
     *
     * @throws IllegalArgumentException if the keep-alive time is neither zero nor at least 8 ms, or the number of
     * paths is not 1
     *     to {@value #MOST_PATHS}
     */
    public ConnectionOptions {
        if (paths < 1 || paths > MOST_PATHS) {
            throw new IllegalArgumentException("paths must be 1 to " + MOST_PATHS + ", not " + paths);
        }
        if (keepAlive.isNegative() || !keepAlive.isZero() && keepAlive.compareTo(LEAST_KEEP_ALIVE) < 0) {
            throw new IllegalArgumentException("keepAlive must be zero or at least 8 ms, not " + keepAlive);
        }
        privateData = privateData.clone();
    }

    @Override
    public byte[] privateData() {
        return privateData.clone();
    }

    /** No private data, 5 seconds, peer to peer, revision 2, a keep-alive time of 30 seconds. */
    public static ConnectionOptions defaults() {
        return new Builder().build();
    }

    /** A builder that starts with the values of this object. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    public ConnectionOptions withPrivateData(byte[] value) {
        return toBuilder().privateData(value).build();
    }

    public ConnectionOptions withTimeout(Duration value) {
        return toBuilder().timeout(value).build();
    }

    public ConnectionOptions withPeerToPeer(boolean value) {
        return toBuilder().peerToPeer(value).build();
    }

    public ConnectionOptions withRevision(int value) {
        return toBuilder().revision(value).build();
    }

    /** With this keep-alive time: at least 8 ms, or zero for none. */
    public ConnectionOptions withKeepAlive(Duration value) {
        return toBuilder().keepAlive(value).build();
    }

    public ConnectionOptions withLocalAddress(SocketAddress value) {
        return toBuilder().localAddress(value).build();
    }

    /**
     * InfiniBand: with these maximum numbers of retries, in general and while the peer has no receive posted; 0 to 7.
     */
    public ConnectionOptions withRetries(int retries, int notReadyRetries) {
        return toBuilder().retries(retries, notReadyRetries).build();
    }

    public ConnectionOptions withTrafficClass(int value) {
        return toBuilder().trafficClass(value).build();
    }

    /**
     * RoCE: with this number of paths, 1 to {@value #MOST_PATHS}, if the peer asks for several too. If the RNICs
     * have further addresses
     * ({@link RnicOptions#device}), the paths take turns between them; an address of the peer is used after it has
     * answered there. Private data leaves space for fewer addresses: each of them needs 4 bytes with IPv4 and 16
     * with IPv6, and all one
     * more.
     */
    public ConnectionOptions withPaths(int value) {
        return toBuilder().paths(value).build();
    }

    /**
     * iWARP: the connection survives the end of its transport, whether that is TCP or shared memory or, with the
     * provider {@code roce+iwarp}, packets of RoCE, if the peer asks
     * for it too; {@link
     * Connection#survives} tells. When the transport ends other than by a close, nothing is flushed: the side that has
     * connected connects again, to the address of the connection and to these in turn, and both sides continue. Each
     * request is executed
     * exactly once. A request completes when the peer has executed it, which takes a round trip. Receives stay posted
     * and keys stay valid.
     * {@link AsyncEventType#TRANSPORT_CHANGED} reports the change.
     *
     * <p>The RNIC of the peer must listen at the address until the connection has ended, with any listener. Both
     * sides need a Read depth above
     * zero to notice a peer that is silent; after 500 ms, unless {@link #keepAlive()} has been changed. A peer
     * process that has ended does not
     * come back: work fails at once through shared memory, after the {@linkplain SurvivalOptions#exitPatience exit
     * patience} if the system of the peer reports the end, and otherwise when the {@linkplain SurvivalOptions#patience
     * patience} is over, or another process answers at all addresses.
     * The private data of both sides can be 48 bytes shorter than {@link RnicAttributes#maxPrivateDataBytes()} at most, and 88 with
     * {@code roce+iwarp}.
     *
     * <p>Adapters: the same between two of them, with fewer promises, because the adapter of the peer does not count
     * what it executes: Writes may be executed twice, and what else may have been executed completes with
     * {@link CompletionStatus#OUTCOME_UNKNOWN}; {@link SurvivalOptions#withLog} makes that rare. The private data can
     * be 44 bytes shorter.
     *
     * @param others further addresses of the peer, for the side that connects
     */
    public ConnectionOptions surviving(SocketAddress... others) {
        return withSurvival(SurvivalOptions.over(others));
    }

    /** The same, with these options. */
    public ConnectionOptions withSurvival(SurvivalOptions value) {
        return toBuilder().survival(value).build();
    }

    /** Collects the parameters of a connection; {@link #build()} checks them. Not thread-safe. */
    public static final class Builder {
        private byte[] privateData = new byte[0];
        private Duration timeout = Duration.ofSeconds(5);
        private boolean peerToPeer = true;
        private int revision = 2;
        private Duration keepAlive = KEEP_ALIVE;
        private Optional<SocketAddress> localAddress = Optional.empty();
        private OptionalInt retryCount = OptionalInt.empty();
        private OptionalInt receiverNotReadyRetries = OptionalInt.empty();
        private OptionalInt trafficClass = OptionalInt.empty();
        private int paths = 1;
        private Optional<SurvivalOptions> survival = Optional.empty();

        private Builder() {}

        private Builder(ConnectionOptions from) {
            privateData = from.privateData;
            timeout = from.timeout;
            peerToPeer = from.peerToPeer;
            revision = from.revision;
            keepAlive = from.keepAlive;
            localAddress = from.localAddress;
            retryCount = from.retryCount;
            receiverNotReadyRetries = from.receiverNotReadyRetries;
            trafficClass = from.trafficClass;
            paths = from.paths;
            survival = from.survival;
        }

        /** The array is copied by {@link #build()}. */
        public Builder privateData(byte[] value) {
            privateData = value;
            return this;
        }

        public Builder timeout(Duration value) {
            timeout = value;
            return this;
        }

        public Builder peerToPeer(boolean value) {
            peerToPeer = value;
            return this;
        }

        public Builder revision(int value) {
            revision = value;
            return this;
        }

        public Builder keepAlive(Duration value) {
            keepAlive = value;
            return this;
        }

        public Builder localAddress(SocketAddress value) {
            localAddress = Optional.of(value);
            return this;
        }

        /** InfiniBand: maximum numbers of retries, in general and while the peer has no receive posted; 0 to 7. */
        public Builder retries(int retries, int notReadyRetries) {
            retryCount = OptionalInt.of(retries);
            receiverNotReadyRetries = OptionalInt.of(notReadyRetries);
            return this;
        }

        public Builder trafficClass(int value) {
            trafficClass = OptionalInt.of(value);
            return this;
        }

        /** RoCE: number of paths, 1 to {@value #MOST_PATHS}. */
        public Builder paths(int value) {
            paths = value;
            return this;
        }

        /** iWARP, adapters: the connection survives its transport, see {@link ConnectionOptions#surviving}. */
        public Builder survival(SurvivalOptions value) {
            survival = Optional.of(value);
            return this;
        }

        /**
         * The options.
         *
         * @throws IllegalArgumentException if the keep-alive time is neither zero nor at least 8 ms, or the number of
         * paths is not
         *     1 to {@value #MOST_PATHS}
         */
        public ConnectionOptions build() {
            return new ConnectionOptions(
                    privateData,
                    timeout,
                    peerToPeer,
                    revision,
                    keepAlive,
                    localAddress,
                    retryCount,
                    receiverNotReadyRetries,
                    trafficClass,
                    paths,
                    survival);
        }
    }
}
