package io.verbena.verbs;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;

/** Waits for peers at a local address. */
public interface Listener extends AutoCloseable {

    /** Where it listens, with the real port. */
    SocketAddress localAddress();

    /**
     * Waits for the next request for a connection.
     *
     * @return empty when the time ran out or the listener was closed
     * @throws WaitInterruptedException when the thread is interrupted and no request is there
     */
    Optional<ConnectionRequest> nextRequest(Duration timeout);

    /**
     * For foreign event loops: {@code ready} runs whenever a request has come, one run after the other, on a thread of the
     * RNIC, with an INLINE RNIC on the owner's.
     */
    void onReady(Runnable ready);

    /** Whether {@link #close()} was called. */
    boolean closed();

    /** Stops listening. Requests that were not looked at are turned away. */
    @Override
    void close();
}
