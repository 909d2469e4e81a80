package io.verbena.verbs;

import java.net.SocketAddress;

/**
 * A request of a peer for a connection. Inspect it, then call one method that accepts, or {@link #reject}, once; a second call throws {@link IllegalStateException}.
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

    /** Whether the peer looks up a datagram service, so that the answer is {@link #acceptDatagrams} or {@link #reject}. */
    default boolean forDatagrams() {
        return false;
    }

    /**
     * Datagram services: answers the look-up of a peer ({@link Rnic#lookUp}) with the number and the Q_Key of a queue pair
     * (rdma_accept with qp_num and qkey). No connection exists afterwards; one queue pair can serve any number of peers.
     *
     * @param queuePair a queue pair with a datagram service
     * @param qkey the Q_Key that datagrams of the peer must have
     * @throws UnsupportedOperationException if the peer requests a connection, see {@link #forDatagrams}
     */
    default void acceptDatagrams(QueuePair queuePair, int qkey, byte[] privateData) {
        throw new UnsupportedOperationException(
                "The peer requests a connection, not the address of a datagram service;" + " call accept.");
    }

    /**
     * Whether the peer requests an end-to-end context of reliable datagrams, so that the answer is {@link #acceptContext}
     * or {@link #reject}. A listener of an RNIC without a reliable datagram domain receives no such request.
     */
    default boolean forContext() {
        return false;
    }

    /**
     * Reliable datagrams: accepts with a new context of a domain, and returns at once;
     * {@link EndToEndContext#awaitEstablished} waits.
     *
     * @throws UnsupportedOperationException if the peer requests something else, see {@link #forContext}
     */
    default EndToEndContext startAcceptContext(ReliableDatagramDomain domain, ConnectionOptions options) {
        throw new UnsupportedOperationException("The peer requests no end-to-end context; call accept.");
    }

    /**
     * Reliable datagrams: accepts and waits until the context is established. If this method throws, the context is
     * closed.
     *
     * @throws ConnectionException if the context was not established
     * @throws WaitInterruptedException if the thread is interrupted
     */
    default EndToEndContext acceptContext(ReliableDatagramDomain domain, ConnectionOptions options)
            throws ConnectionException {
        EndToEndContext context = startAcceptContext(domain, options);
        try {
            context.awaitEstablished(options.timeout());
        } catch (ConnectionException | RuntimeException e) {
            context.close();
            throw e;
        }
        return context;
    }

    /** Rejects the request, with private data for the application of the peer. */
    void reject(byte[] privateData);
}
