package io.verbena.verbs;

import java.net.SocketAddress;

/**
 * A request of a peer for a connection. Inspect it, then call exactly one of {@link #startAccept}, {@link #accept} and
 * {@link #reject}, once; a second call throws {@link IllegalStateException}.
 */
public interface ConnectionRequest {

    SocketAddress localAddress();

    SocketAddress remoteAddress();

    /** Private data that the application of the peer sent. */
    byte[] privateData();

    /** Maximum number of Reads and atomics that this side may have outstanding: what the peer is ready to serve. */
    int inboundReads();

    /** Number of Reads and atomics that the peer would like to have outstanding. */
    int outboundReads();

    /**
     * Accepts with a queue pair that is not connected yet, and returns at once; {@link Connection#awaitEstablished}
     * waits. If the set-up fails, because the peer is gone or the timeout expired, the queue pair goes to the ERROR
     * state and its work is flushed at once.
     */
    Connection startAccept(QueuePair queuePair, ConnectionOptions options);

    /**
     * Accepts and waits until the connection is established. If this method throws, the connection is closed.
     *
     * @throws ConnectionException if the connection was not established
     * @throws WaitInterruptedException if the thread is interrupted
     */
    default Connection accept(QueuePair queuePair, ConnectionOptions options) throws ConnectionException {
        Connection connection = startAccept(queuePair, options);
        try {
            connection.awaitEstablished(options.timeout());
        } catch (ConnectionException | RuntimeException e) {
            connection.close();
            throw e;
        }
        return connection;
    }

    /** Accepts with default options. */
    default Connection accept(QueuePair queuePair) throws ConnectionException {
        return accept(queuePair, ConnectionOptions.defaults());
    }

    /** Accepts with private data for the application of the peer. */
    default Connection accept(QueuePair queuePair, byte[] privateData) throws ConnectionException {
        return accept(queuePair, ConnectionOptions.defaults().withPrivateData(privateData));
    }

    /** Rejects the request, with private data for the application of the peer. */
    void reject(byte[] privateData);
}
