package io.verbena.verbs;

import java.net.SocketAddress;
import java.time.Duration;

/**
 * The end-to-end context (EEC) of a reliable datagram domain with one other RNIC. It carries the messages of all queue
 * pairs of the domain to and from that RNIC; a work request names it with
 * {@link WorkRequest#to(EndToEndContext, int, int)}. Any thread may call any method.
 */
public interface EndToEndContext extends AutoCloseable {

    ReliableDatagramDomain domain();

    /** Its number, unique within the RNIC; see {@link CompletionCursor#sourceContextNumber}. */
    int number();

    ConnectionState state();

    SocketAddress localAddress();

    SocketAddress remoteAddress();

    /** Private data that the application of the peer sent with its request or reply; empty before it arrived. */
    byte[] privateData();

    /**
     * Waits until the context is established.
     *
     * @throws ConnectionException if it was refused, rejected (with private data), failed, or was not established in
     *     time
     * @throws WaitInterruptedException if the thread is interrupted before the set-up has ended
     */
    void awaitEstablished(Duration timeout) throws ConnectionException;

    /**
     * Waits until the context has ended: one side has closed it, or the peer does not answer.
     *
     * @return false if the timeout expired, or the RNIC was closed and the end could not be carried out
     * @throws WaitInterruptedException if the thread is interrupted before the context has ended
     */
    boolean awaitClosed(Duration timeout);

    /** Why the context ended, in one sentence for people; empty while it is established. */
    String reason();

    /**
     * Closes the context and notifies the peer. Work that names it and is not complete fails with
     * {@link CompletionStatus#CONNECTION_LOST}; poll the completions first. Other contexts are not affected.
     */
    @Override
    void close();
}
