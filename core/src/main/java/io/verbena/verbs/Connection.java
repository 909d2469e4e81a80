package io.verbena.verbs;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;

/** A queue pair's connection, from its start to its end. */
public interface Connection extends AutoCloseable {

    QueuePair queuePair();

    ConnectionState state();

    SocketAddress localAddress();

    SocketAddress remoteAddress();

    /** What the peer's application sent along with its request or reply; empty before that. */
    byte[] privateData();

    /**
     * Waits until the connection is established. A wait that ends early does not end the set-up, which has a time-out of its
     * own; {@link #close} does.
     *
     * @throws ConnectionException when it is not: refused, rejected (with private data), failed or out of time
     * @throws WaitInterruptedException when the thread is interrupted before that is decided
     */
    void awaitEstablished(Duration timeout) throws ConnectionException;

    /**
     * Waits until the connection has ended.
     *
     * @return false when the time ran out
     * @throws WaitInterruptedException when the thread is interrupted before the connection has ended
     */
    boolean awaitClosed(Duration timeout);

    /**
     * Closes gracefully: what was posted is sent first, then the peer is told. Returns at once; {@link #awaitClosed} waits.
     * Receives that are left complete flushed. The connection has ended only when nothing touches memory on its account any
     * more.
     */
    void disconnect();

    /** Why it ended, one sentence for people; empty while it stands. */
    String reason();

    /** Why it ended, as the protocol said it; empty if it said nothing. */
    Optional<Termination> termination();

    /**
     * The stream of a rejected {@link Rnic#takeOver}, usable again (RFC 5044 section 7.1.2 [4, 7]); empty for a connection of
     * another kind and in any other state than {@link ConnectionState#REJECTED}. It is there as soon as that state is.
     */
    default Optional<ReturnedStream> returnedStream() {
        return Optional.empty();
    }

    /**
     * Runs once for each change of state, one after the other; the present state is told at once. The listener may block: only
     * its own later notices wait. It runs on a thread of the RNIC, with an INLINE RNIC on the owner's.
     */
    void onStateChange(ConnectionListener listener);

    /** Gracefully if possible within a second, else abruptly; a set-up that is under way is ended. Not interruptible. */
    @Override
    void close();
}
