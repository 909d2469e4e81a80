package io.verbena.verbs;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * An open adapter: the object from which everything else is made. Software or hardware, the verbs are the same.
 *
 * <p>An RNIC makes progress in one of two ways, chosen when it is opened (see {@link Progress}): an engine thread of its
 * own, or the threads that post, poll and wait. All objects made from an RNIC are closed by {@link #close()}.
 */
public interface Rnic extends AutoCloseable {

    /** Opens the provider that suits this machine best, with the usual settings. */
    static Rnic open() {
        return open(RnicOptions.defaults());
    }

    /**
     * Opens an RNIC.
     *
     * @throws VerbsException when no provider of the wanted name is there or it cannot be used here; the message says why
     */
    static Rnic open(RnicOptions options) {
        return RnicProvider.named(options.provider()).open(options);
    }

    /** Query RNIC: what this adapter is and its limits. */
    RnicAttributes query();

    /** A new protection domain. Objects of different domains never reach each other's memory. */
    ProtectionDomain allocateProtectionDomain();

    /** Create CQ. */
    CompletionQueue createCompletionQueue(CompletionQueueOptions options);

    /** Create CQ with room for {@code capacity} entries and no handler. */
    default CompletionQueue createCompletionQueue(int capacity) {
        return createCompletionQueue(CompletionQueueOptions.capacity(capacity));
    }

    /**
     * Set Completion Handler: registers a handler and returns its identification, unique within this RNIC. The handler
     * runs on the RNIC's default {@link HandlerProcessor}.
     */
    CqHandlerId setCompletionHandler(CqHandler handler);

    /** Set Completion Handler on a handler processor of the caller's choice. */
    default CqHandlerId setCompletionHandler(CqHandler handler, HandlerProcessor processor) {
        return setCompletionHandler(handler, processor, HandlerOptions.defaults());
    }

    /** Set Completion Handler on a handler processor of the caller's choice, with a class and a priority there. */
    CqHandlerId setCompletionHandler(CqHandler handler, HandlerProcessor processor, HandlerOptions options);

    /**
     * Set Completion Handler for several at once: all are registered, or none.
     *
     * @return their identifications, in the order of the handlers
     * @throws IllegalStateException when the RNIC has no room for all of them
     */
    default List<CqHandlerId> setCompletionHandlers(
            List<CqHandler> handlers, HandlerProcessor processor, HandlerOptions options) {
        List<CqHandlerId> registered = new ArrayList<>();
        boolean all = false;
        try {
            for (CqHandler handler : handlers) {
                registered.add(setCompletionHandler(handler, processor, options));
            }
            all = true;
            return List.copyOf(registered);
        } finally {
            if (!all) {
                registered.forEach(this::removeCompletionHandler);
            }
        }
    }

    /** Changes a handler's class and priority on its processor, at any time. */
    default void modifyCompletionHandler(CqHandlerId id, HandlerOptions options) {
        throw new UnsupportedOperationException("This RNIC's handlers keep the class that they were registered with.");
    }

    /** What a handler has done so far. */
    default HandlerFigures queryCompletionHandler(CqHandlerId id) {
        throw new UnsupportedOperationException("This RNIC keeps no figures of its handlers.");
    }

    /**
     * A CQ and a handler on each of these processors, armed for the next entry; {@link CompletionGroup#choose} spreads new
     * queue pairs over them. The handler must poll its CQ until it is empty and request the next notification.
     *
     * @param capacity most entries of each CQ
     */
    default CompletionGroup createCompletionGroup(
            int capacity, CqHandler handler, List<? extends HandlerProcessor> processors, Spread spread) {
        throw new UnsupportedOperationException("This RNIC has no completion groups: make a CQ a processor yourself.");
    }

    /** Replaces the handler behind an identification; CQs that use the identification go to the new one. */
    void replaceCompletionHandler(CqHandlerId id, CqHandler handler);

    /** Removes a handler. After this call returned it does not run, and CQs that used it have no handler. */
    void removeCompletionHandler(CqHandlerId id);

    /**
     * Listens for connections at a local address (port 0: the system chooses, see {@link Listener#localAddress()}).
     *
     * @throws IOException when the address cannot be used
     */
    Listener listen(SocketAddress address, ListenOptions options) throws IOException;

    /** Listens with the usual settings. */
    default Listener listen(SocketAddress address) throws IOException {
        return listen(address, ListenOptions.defaults());
    }

    /**
     * Starts to connect a queue pair to a listener and returns at once; {@link Connection#awaitEstablished} waits.
     *
     * @param queuePair not connected yet; receives may have been posted
     */
    Connection startConnect(QueuePair queuePair, SocketAddress remote, ConnectionOptions options);

    /**
     * Connects a queue pair and waits until it is ready to send. When this throws, the connection is closed, and the queue
     * pair is IDLE unless the connection was established in that very moment.
     *
     * @throws ConnectionException when the peer refused (with its private data), was not there, or did not answer in time
     * @throws WaitInterruptedException when the thread is interrupted
     */
    default Connection connect(QueuePair queuePair, SocketAddress remote, ConnectionOptions options)
            throws ConnectionException {
        Connection connection = startConnect(queuePair, remote, options);
        try {
            connection.awaitEstablished(options.timeout());
        } catch (ConnectionException | RuntimeException e) {
            connection.close();
            throw e;
        }
        return connection;
    }

    /** Connects with the usual settings. */
    default Connection connect(QueuePair queuePair, SocketAddress remote) throws ConnectionException {
        return connect(queuePair, remote, ConnectionOptions.defaults());
    }

    /**
     * Datagram services: asks where a service can be reached, waiting at most the options' time.
     *
     * @throws ConnectionException when nobody answered, or with a no
     * @throws UnsupportedOperationException when the RNIC has no datagram services
     */
    default DatagramPeer lookUp(SocketAddress service, ConnectionOptions options) throws ConnectionException {
        throw new UnsupportedOperationException("This RNIC has no datagram services.");
    }

    /**
     * Moves an existing stream into RDMA mode and returns at once; {@link Connection#awaitEstablished} waits. From now on the
     * stream is the RNIC's: who reads, writes or closes it otherwise breaks the connection. When the peer, or
     * {@link StreamConversion#rejection}, says no, {@link Connection#returnedStream} gives it back.
     *
     * @param stream connected and with no selector; blocking or not
     * @throws IllegalArgumentException when the stream cannot be taken over
     * @throws IllegalStateException when the queue pair is not free
     * @throws UnsupportedOperationException when the RNIC cannot take over streams
     */
    default Connection takeOver(QueuePair queuePair, SocketChannel stream, StreamConversion how) {
        throw new UnsupportedOperationException("This RNIC makes its connections itself: use connect and listen.");
    }

    /**
     * Registers the default error handler for page faults; without one they are refused.
     *
     * @throws UnsupportedOperationException when the RNIC reaches pinned memory only
     */
    default void onPageFault(PageFaultHandler handler) {
        throw new UnsupportedOperationException("This RNIC reaches pinned memory only: there are no page faults.");
    }

    /**
     * A virtual memory manager whose pages this RNIC can reach while they are not in memory.
     *
     * @throws UnsupportedOperationException when the RNIC reaches pinned memory only
     * @throws IllegalArgumentException for a pool or a page of a size that does not do
     */
    default VirtualMemory openVirtualMemory(VirtualMemoryOptions options) {
        throw new UnsupportedOperationException("This RNIC reaches pinned memory only: there is no paging.");
    }

    /**
     * Told of every asynchronous event of this RNIC, one after the other; replaces the listener before it. It may block: only its
     * own later events wait. It runs on a thread of the RNIC, with an INLINE RNIC on the owner's.
     */
    void onAsyncEvent(AsyncEventListener listener);

    /**
     * Takes asynchronous events that no listener has taken, oldest first, waiting for the first at most this long.
     *
     * @throws WaitInterruptedException when the thread is interrupted and there is none
     */
    List<AsyncEvent> pollAsyncEvents(Duration timeout);

    /**
     * Drives an {@link Progress#INLINE} RNIC, and all INLINE RNICs of the same thread, once; does nothing with an engine
     * thread.
     *
     * @return a measure of the work done, 0 when there was none
     */
    int progress();

    /**
     * The same, and if there was nothing to do it waits until there is, at most this long: for programs that poll flags
     * in their memory, which no completion tells. Returns at once with an engine thread.
     *
     * @throws WaitInterruptedException when the thread is interrupted and there was nothing to do
     */
    default int progress(Duration timeout) {
        return progress();
    }

    /**
     * Gives an {@link Progress#INLINE} RNIC to the calling thread, which from now on posts, polls and waits. The thread
     * that had it must not be using it.
     */
    void adopt();

    /**
     * Closes the RNIC in good order: takes no more work (posting throws), lets what was posted finish and handlers take what
     * completed for at most this long, then flushes the rest and closes.
     */
    default void close(Duration grace) {
        close();
    }

    /** Closes the RNIC: connections end, pending work is flushed, no handler runs after this returned. */
    @Override
    void close();
}
