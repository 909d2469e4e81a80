package io.verbena.verbs;

import java.net.SocketAddress;

/** A peer asks for a connection: look at it, then accept or reject. Exactly one of the two, once. */
public interface ConnectionRequest {

    SocketAddress localAddress();

    SocketAddress remoteAddress();

    /** What the peer's application sent along. */
    byte[] privateData();

    /** Reads and atomics that the peer is ready to serve: the most we may have outstanding. */
    int inboundReads();

    /** Reads and atomics that the peer would like to have outstanding. */
    int outboundReads();

    /**
     * Starts to accept with a queue pair that is not connected yet; {@link Connection#awaitEstablished} waits. When the set-up
     * fails, because the peer is gone or its time is over, the queue pair goes to ERROR and its work is flushed at once.
     */
    Connection startAccept(QueuePair queuePair, ConnectionOptions options);

    /**
     * Accepts and waits until the connection is established. When this throws, the connection is closed.
     *
     * @throws WaitInterruptedException when the thread is interrupted
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

    /** Accepts with the usual settings. */
    default Connection accept(QueuePair queuePair) throws ConnectionException {
        return accept(queuePair, ConnectionOptions.defaults());
    }

    /** Accepts with a word for the peer's application. */
    default Connection accept(QueuePair queuePair, byte[] privateData) throws ConnectionException {
        return accept(queuePair, ConnectionOptions.defaults().withPrivateData(privateData));
    }

    /** Turns the peer away, with a word for its application. */
    void reject(byte[] privateData);
}
