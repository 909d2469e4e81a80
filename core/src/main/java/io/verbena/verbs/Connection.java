package io.verbena.verbs;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The connection of a queue pair, from its start to its end. Any thread may call any method. */
public interface Connection extends AutoCloseable {

    QueuePair queuePair();

    ConnectionState state();

    /**
     * What carries it, which an RNIC may choose for each connection: {@link TransportType#SHARED_MEMORY} if its bytes go through
     * memory that both ends share. Meaningful when it is established.
     */
    TransportType transport();

    SocketAddress localAddress();

    SocketAddress remoteAddress();

    /** Private data that the application of the peer sent with its request or reply; empty before it arrived. */
    byte[] privateData();

    /**
     * Waits until the connection is established. If the wait ends early, the set-up continues until its own timeout or
     * until {@link #close}. Returns also if the connection was established and has ended since, for whatever reason:
     * {@link #state} and {@link #reason} tell.
     *
     * @throws ConnectionException if the connection was refused, rejected (with private data), failed, or was not
     *     established in time
     * @throws WaitInterruptedException if the thread is interrupted before the set-up has ended
     */
    void awaitEstablished(Duration timeout) throws ConnectionException;

    /**
     * Waits until the connection has ended.
     *
     * @return false if the timeout expired, or the RNIC was closed and the end could not be carried out
     * @throws WaitInterruptedException if the thread is interrupted before the connection has ended
     */
    boolean awaitClosed(Duration timeout);

    /**
     * Closes the connection gracefully: posted work is sent first, then the peer is notified. Returns at once;
     * {@link #awaitClosed} waits. Remaining receives are flushed. The connection has ended only when nothing accesses
     * memory on its behalf any more.
     */
    void disconnect();

    /**
     * InfiniBand: proposes an alternate path to the peer of an established reliable connection (LAP), and returns at once. If the
     * peer accepts, both sides load the path. It is armed when the next packets have been exchanged, and used when
     * retries are exhausted, or when a side requests it by {@link QueuePair#modify}; {@link AsyncEventType#PATH_MIGRATED}
     * reports that. {@link AsyncEventType#PATH_MIGRATION_FAILED} reports a proposal that the peer refused or did not answer.
     *
     * @param path address of the peer on the path; its source address is the one of this side, by default that of the RNIC
     * @throws IllegalStateException if the connection is not established, or another proposal is not answered yet
     * @throws UnsupportedOperationException if the transport or the service has no alternate paths
     */
    default void proposeAlternatePath(AddressHandleAttributes path) {
        throw new UnsupportedOperationException(
                "Only reliable connections of the InfiniBand transport have alternate paths.");
    }

    /**
     * The paths over which this side spreads the requests of a connection that was established with
     * {@link ConnectionOptions#withPaths}; empty if the connection has one path. A snapshot whose numbers were read one after the other.
     * {@link AsyncEventType#PATH_RETIRED} and {@link AsyncEventType#PATH_REVIVED} report changes.
     */
    default List<ConnectionPath> paths() {
        return List.of();
    }

    /**
     * Whether the connection survives the end of its transport: both sides have asked for it by
     * {@link ConnectionOptions#surviving}.
     * Meaningful when it is established.
     */
    default boolean survives() {
        return false;
    }

    /** The changes of transport so far. A snapshot. */
    default TransportChanges transportChanges() {
        return TransportChanges.NONE;
    }

    /**
     * Leaves the current transport of a connection that {@linkplain #survives survives}, as if that had failed, and
     * returns at once. The side
     * that has connected takes the next address whose turn it is. No effect while there is no transport, and after
     * the end.
     *
     * @throws UnsupportedOperationException if the connection does not survive the end of its transport
     */
    default void migrate() {
        throw new UnsupportedOperationException(
                "The connection does not survive the end of its transport; both sides must"
                        + " set it up with ConnectionOptions.surviving.");
    }

    /** Why the connection ended, in one sentence for people; empty while it is established. */
    String reason();

    /** Why the connection ended, as stated by the protocol; empty if the protocol stated nothing. */
    Optional<Termination> termination();

    /**
     * After the end: whether the process of the peer has ended without closing or resetting the connection, everything that it
     * had sent has arrived, and {@link #resetIfKilled} of that side was off. False also where the system does not say so, as with RoCE.
     */
    default boolean peerExited() {
        return false;
    }

    /**
     * States how the system is to end an established connection if this process is killed. If {@code reset}, the peer sees a reset, which
     * means that data are lost; else, as by default, an end that {@link #peerExited} reports. Takes effect a moment after the call.
     * Has no effect where the system does not report the end of a process.
     */
    default void resetIfKilled(boolean reset) {}

    /**
     * The stream of a rejected {@link Rnic#takeOver}, which is usable again (RFC 5044 section 7.1.2 [4, 7]). Empty for
     * other connections and in any state other than {@link ConnectionState#REJECTED}. Present as soon as that state is
     * reached.
     */
    default Optional<ReturnedStream> returnedStream() {
        return Optional.empty();
    }

    /**
     * Registers a listener for changes of state. It is called once per change, one call after the other; the current
     * state is reported at once. The listener may block, which delays only its own later calls. It runs on a thread of
     * the RNIC, or on the owner's thread if the RNIC is INLINE.
     */
    void onStateChange(ConnectionListener listener);

    /**
     * Closes gracefully if possible within one second, otherwise abruptly. Cancels a set-up in progress. Not
     * interruptible.
     */
    @Override
    void close();
}
