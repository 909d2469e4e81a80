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
        Optional<SocketAddress> localAddress,
        OptionalInt retryCount,
        OptionalInt receiverNotReadyRetries,
        OptionalInt trafficClass) {

    /** Keeps its own copy. */
    public ConnectionOptions {
        privateData = privateData.clone();
    }

    @Override
    public byte[] privateData() {
        return privateData.clone();
    }

    /** No private data, 5 seconds, peer to peer, revision 2. */
    public static ConnectionOptions defaults() {
        return new ConnectionOptions(
                new byte[0],
                Duration.ofSeconds(5),
                true,
                2,
                Optional.empty(),
                OptionalInt.empty(),
                OptionalInt.empty(),
                OptionalInt.empty());
    }

    public ConnectionOptions withPrivateData(byte[] value) {
        return copy(value, timeout, peerToPeer, revision, localAddress);
    }

    public ConnectionOptions withTimeout(Duration value) {
        return copy(privateData, value, peerToPeer, revision, localAddress);
    }

    public ConnectionOptions withPeerToPeer(boolean value) {
        return copy(privateData, timeout, value, revision, localAddress);
    }

    public ConnectionOptions withRevision(int value) {
        return copy(privateData, timeout, peerToPeer, value, localAddress);
    }

    public ConnectionOptions withLocalAddress(SocketAddress value) {
        return copy(privateData, timeout, peerToPeer, revision, Optional.of(value));
    }

    /** InfiniBand: retries in general, and when the peer has no receive; 0 to 7. */
    public ConnectionOptions withRetries(int retries, int notReadyRetries) {
        return new ConnectionOptions(
                privateData,
                timeout,
                peerToPeer,
                revision,
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
                localAddress,
                retryCount,
                receiverNotReadyRetries,
                OptionalInt.of(value));
    }

    private ConnectionOptions copy(
            byte[] data, Duration newTimeout, boolean p2p, int newRevision, Optional<SocketAddress> local) {
        return new ConnectionOptions(
                data, newTimeout, p2p, newRevision, local, retryCount, receiverNotReadyRetries, trafficClass);
    }
}
