package io.verbena.verbs;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;

/** Receives connection requests at a local address. Any thread may call any method. */
public interface Listener extends AutoCloseable {

    /** The local address, with the actual port. */
    SocketAddress localAddress();

    /**
     * Waits for the next connection request. The networks of the peers ({@link PeerNetwork}) take turns, and each has its requests in
     * the order of arrival.
     *
     * @return empty if the timeout expired, or the listener or the RNIC was closed
     * @throws WaitInterruptedException if the thread is interrupted and no request is pending
     */
    Optional<ConnectionRequest> nextRequest(Duration timeout);

    /**
     * For other event loops: {@code ready} runs whenever a request has arrived, one run after the other, on a thread of
     * the RNIC, or on the owner's thread if the RNIC is INLINE.
     */
    void onReady(Runnable ready);

    /** Whether {@link #close()} was called, or the RNIC has closed the listener. */
    boolean closed();

    /** Stops listening. Requests that the application has not taken are rejected. */
    @Override
    void close();
}
