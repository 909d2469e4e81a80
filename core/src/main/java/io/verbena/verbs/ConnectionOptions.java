package io.verbena.verbs;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What one side brings to a connection (rdma_conn_param).
 *
 * @param privateData for the peer's application
 * @param timeout how long set-up may take
 * @param peerToPeer asks that either side may send first (RFC 6581); without it the connecting side must
 * @param revision MPA revision to ask for: 2, or 1 for old peers
 * @param keepAlive a peer that says nothing for longer than this is lost, however idle the connection is; zero for never.
 *     After half of it the peer is asked for a sign of life, of which its application notices nothing. A process or machine
 *     that vanishes without closing its connections is found by this and by nothing else
 * @param localAddress where the connection is to start from
 * @param retryCount InfiniBand: how often a request is sent again
 * @param receiverNotReadyRetries InfiniBand: how often when the peer has no receive
 * @param trafficClass type of service of the connection's packets
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
        OptionalInt trafficClass) {

    /** The bound of {@link #keepAlive} where none is chosen. */
    public static final Duration KEEP_ALIVE = Duration.ofSeconds(30);

    private static final Duration LEAST_KEEP_ALIVE = Duration.ofMillis(8);

    /** Keeps its own copy. */
    public ConnectionOptions {
        if (keepAlive.isNegative() || !keepAlive.isZero() && keepAlive.compareTo(LEAST_KEEP_ALIVE) < 0) {
            throw new IllegalArgumentException("keepAlive is zero or at least 8 ms, not " + keepAlive);
        }
        privateData = privateData.clone();
    }

    @Override
    public byte[] privateData() {
        return privateData.clone();
    }

    /** No private data, 5 seconds, peer to peer, revision 2, a keep-alive bound of 30 seconds. */
    public static ConnectionOptions defaults() {
        return new ConnectionOptions(
                new byte[0],
                Duration.ofSeconds(5),
                true,
                2,
                KEEP_ALIVE,
                Optional.empty(),
                OptionalInt.empty(),
                OptionalInt.empty(),
                OptionalInt.empty());
    }

    public ConnectionOptions withPrivateData(byte[] value) {
        return copy(value, timeout, peerToPeer, revision, keepAlive, localAddress);
    }

    public ConnectionOptions withTimeout(Duration value) {
        return copy(privateData, value, peerToPeer, revision, keepAlive, localAddress);
    }

    public ConnectionOptions withPeerToPeer(boolean value) {
        return copy(privateData, timeout, value, revision, keepAlive, localAddress);
    }

    public ConnectionOptions withRevision(int value) {
        return copy(privateData, timeout, peerToPeer, value, keepAlive, localAddress);
    }

    /** With another keep-alive bound, at least 8 ms, or none (zero). */
    public ConnectionOptions withKeepAlive(Duration value) {
        return copy(privateData, timeout, peerToPeer, revision, value, localAddress);
    }

    public ConnectionOptions withLocalAddress(SocketAddress value) {
        return copy(privateData, timeout, peerToPeer, revision, keepAlive, Optional.of(value));
    }

    /** InfiniBand: retries in general, and when the peer has no receive; 0 to 7. */
    public ConnectionOptions withRetries(int retries, int notReadyRetries) {
        return new ConnectionOptions(
                privateData,
                timeout,
                peerToPeer,
                revision,
                keepAlive,
                localAddress,
                OptionalInt.of(retries),
                OptionalInt.of(notReadyRetries),
                trafficClass);
    }

    public ConnectionOptions withTrafficClass(int value) {
        return new ConnectionOptions(
                privateData,
                timeout,
                peerToPeer,
                revision,
                keepAlive,
                localAddress,
                retryCount,
                receiverNotReadyRetries,
                OptionalInt.of(value));
    }

    private ConnectionOptions copy(
            byte[] data,
            Duration newTimeout,
            boolean p2p,
            int newRevision,
            Duration newKeepAlive,
            Optional<SocketAddress> local) {
        return new ConnectionOptions(
                data,
                newTimeout,
                p2p,
                newRevision,
                newKeepAlive,
                local,
                retryCount,
                receiverNotReadyRetries,
                trafficClass);
    }
}
