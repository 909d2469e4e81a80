package io.verbena.verbs;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * An open RDMA adapter, in software or hardware. All other objects are created from it.
 *
 * <p>An RNIC makes progress in one of two ways, chosen when it is opened (see {@link Progress}): by engine threads of
 * its own, or by the threads that post, poll and wait. {@link #close()} closes all objects created from the RNIC.
 *
 * <p>Any thread may call any method. With {@link Progress#INLINE}, posting, polling and waiting belong to the owner
 * thread; see {@link #adopt}. Methods throw {@link IllegalStateException} after the RNIC was closed.
 */
public interface Rnic extends AutoCloseable {

    /** Opens the best provider for this machine with default options. */
    static Rnic open() {
        return open(RnicOptions.defaults());
    }

    /**
     * Opens an RNIC.
     *
     * @throws VerbsException if no provider has the requested name or the provider cannot be used here; the message
     *     states the reason
     */
    static Rnic open(RnicOptions options) {
        return RnicProvider.named(options.provider()).open(RnicProvider.withDefaultDevice(options));
    }

    /** Query RNIC: attributes and limits. */
    RnicAttributes query();

    /**
     * Figures of the RNIC and its objects now, as {@link RnicFigures} defines them. Reading takes no lock of the data path and
     * delays no engine; it costs the calling thread about a microsecond per object. A provider without figures returns figures
     * without values and parts. Also after the RNIC was closed.
     */
    default Figures figures() {
        return Figures.of("rnic").build();
    }

    /** Creates a protection domain. Objects of different domains never access each other's memory. */
    ProtectionDomain allocateProtectionDomain();

    /**
     * Allocates a reliable datagram domain, for queue pairs with service {@link TransportService#RELIABLE_DATAGRAM}.
     *
     * @throws UnsupportedOperationException if the RNIC does not have the service
     */
    default ReliableDatagramDomain allocateReliableDatagramDomain() {
        throw new UnsupportedOperationException("This RNIC has no reliable datagrams; connect queue pairs instead.");
    }

    /**
     * Create CQ.
     *
     * @throws IllegalArgumentException if the capacity exceeds the limit of the RNIC
     */
    CompletionQueue createCompletionQueue(CompletionQueueOptions options);

    /** Create CQ for {@code capacity} entries, without a handler. */
    default CompletionQueue createCompletionQueue(int capacity) {
        return createCompletionQueue(CompletionQueueOptions.capacity(capacity));
    }

    /**
     * Set Completion Handler: registers a handler on the default {@link HandlerProcessor} of the RNIC.
     *
     * @return the identification of the handler, unique within this RNIC
     * @throws IllegalStateException if the maximum number of handlers is registered
     */
    CqHandlerId setCompletionHandler(CqHandler handler);

    /** Set Completion Handler on a given handler processor. */
    default CqHandlerId setCompletionHandler(CqHandler handler, HandlerProcessor processor) {
        return setCompletionHandler(handler, processor, HandlerOptions.defaults());
    }

    /** Set Completion Handler on a given handler processor, with a service class and a priority. */
    CqHandlerId setCompletionHandler(CqHandler handler, HandlerProcessor processor, HandlerOptions options);

    /**
     * Set Completion Handler for several handlers at once: either all are registered or none.
     *
     * @return their identifications, in the order of the handlers
     * @throws IllegalStateException if registering all of them would exceed the limit of the RNIC
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

    /**
     * Changes the service class and priority of a handler at any time.
     *
     * @throws IllegalArgumentException if no handler is registered with this identification
     * @throws UnsupportedOperationException if the RNIC does not support this
     */
    default void modifyCompletionHandler(CqHandlerId id, HandlerOptions options) {
        throw new UnsupportedOperationException("This RNIC does not support changing the class of a handler.");
    }

    /** Statistics of a handler. */
    default HandlerFigures queryCompletionHandler(CqHandlerId id) {
        throw new UnsupportedOperationException("This RNIC does not keep statistics of its handlers.");
    }

    /**
     * Creates a CQ with a handler on each of these processors and requests the next notification of each.
     * {@link CompletionGroup#choose} distributes new queue pairs over them. The handler must poll its CQ until it is
     * empty and request the next notification.
     *
     * @param capacity maximum number of entries of each CQ
     * @throws UnsupportedOperationException if the RNIC has no completion groups
     */
    default CompletionGroup createCompletionGroup(
            int capacity, CqHandler handler, List<? extends HandlerProcessor> processors, Spread spread) {
        throw new UnsupportedOperationException("This RNIC has no completion groups; create one CQ per processor.");
    }

    /**
     * Replaces the handler of an identification. CQs that use the identification then use the new handler.
     *
     * @throws IllegalArgumentException if no handler is registered with this identification
     */
    void replaceCompletionHandler(CqHandlerId id, CqHandler handler);

    /** Removes a handler. After the return it does not run any more, and CQs that used it have no handler. */
    void removeCompletionHandler(CqHandlerId id);

    /**
     * Listens for connections at a local address. With port 0 the system chooses a port; see
     * {@link Listener#localAddress()}.
     *
     * @throws IOException if the address cannot be used
     */
    Listener listen(SocketAddress address, ListenOptions options) throws IOException;

    /** Listens with default options. */
    default Listener listen(SocketAddress address) throws IOException {
        return listen(address, ListenOptions.defaults());
    }

    /**
     * Starts to connect a queue pair to a listener and returns at once; {@link Connection#awaitEstablished} waits.
     *
     * @param queuePair a queue pair that is not connected; receives may have been posted
     */
    Connection startConnect(QueuePair queuePair, SocketAddress remote, ConnectionOptions options);

    /**
     * Connects a queue pair and waits until it is ready to send. If this method throws, the connection is closed, and
     * the queue pair is IDLE unless the connection was established at that moment.
     *
     * @throws ConnectionException if the peer rejected the request (with its private data), was not reachable, or did
     *     not answer in time
     * @throws WaitInterruptedException if the thread is interrupted
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

    /** Connects with default options. */
    default Connection connect(QueuePair queuePair, SocketAddress remote) throws ConnectionException {
        return connect(queuePair, remote, ConnectionOptions.defaults());
    }

    /**
     * Datagram services: resolves the address of a service. Waits at most for the timeout of the options.
     *
     * @throws ConnectionException if the service did not answer, or rejected the request
     * @throws UnsupportedOperationException if the RNIC has no datagram services
     */
    default DatagramPeer lookUp(SocketAddress service, ConnectionOptions options) throws ConnectionException {
        throw new UnsupportedOperationException("This RNIC has no datagram services.");
    }

    /**
     * Converts a connected TCP stream into an RDMA connection and returns at once; {@link Connection#awaitEstablished}
     * waits. The stream then belongs to the RNIC; reading, writing or closing it elsewhere breaks the connection. If
     * the peer or {@link StreamConversion#rejection} rejects the conversion, {@link Connection#returnedStream} returns
     * the stream.
     *
     * @param stream a connected stream that is not registered with a selector; blocking or not
     * @throws IllegalArgumentException if the stream cannot be converted
     * @throws IllegalStateException if the queue pair is already in use
     * @throws UnsupportedOperationException if the RNIC cannot convert streams
     */
    default Connection takeOver(QueuePair queuePair, SocketChannel stream, StreamConversion conversion) {
        throw new UnsupportedOperationException("This RNIC cannot convert streams; use connect and listen.");
    }

    /**
     * Announces that this process accepts sockets at an address by itself and passes those to {@link #takeOver} that begin
     * with a request. Peers on this host that could share memory then offer it, as they do to a {@link #listen listener}; the
     * bytes of such an offer are passed to {@code takeOver} like those of any other request. Does nothing on an RNIC without
     * shared memory.
     */
    default AnnouncedAddress announce(SocketAddress listening) {
        return () -> {};
    }

    /**
     * Whether a listener on this host has announced that a connection to this address can use shared memory. Asking sends
     * nothing. The answer is a hint: the listener may end at any time.
     */
    default boolean announced(SocketAddress remote) {
        return false;
    }

    /** Memory that processes of one user on this host share, for protocols of their own; empty on an RNIC without shared memory. */
    default Optional<HostMemory> hostMemory() {
        return Optional.empty();
    }

    /**
     * Sets the default page fault handler of the RNIC. Without one, accesses to unmapped memory are denied.
     *
     * @throws UnsupportedOperationException if the RNIC supports pinned memory only
     */
    default void onPageFault(PageFaultHandler handler) {
        throw new UnsupportedOperationException("This RNIC supports pinned memory only; page faults do not occur.");
    }

    /**
     * Opens a virtual memory manager, whose pages this RNIC can access even if they are not in memory.
     *
     * @throws UnsupportedOperationException if the RNIC supports pinned memory only
     * @throws IllegalArgumentException if the size of the pool or of a page is out of range
     */
    default VirtualMemory openVirtualMemory(VirtualMemoryOptions options) {
        throw new UnsupportedOperationException("This RNIC supports pinned memory only, no paging.");
    }

    /**
     * Sets the listener for asynchronous events of this RNIC and replaces the previous one. It is called once per
     * event, one call after the other. It may block, which delays only its own later events. It runs on a thread of the
     * RNIC, or on the owner's thread if the RNIC is INLINE.
     */
    void onAsyncEvent(AsyncEventListener listener);

    /**
     * Takes the asynchronous events that no listener has received, oldest first. Waits at most {@code timeout} for the
     * first one; closing the RNIC ends the wait.
     *
     * @throws WaitInterruptedException if the thread is interrupted and no event is pending
     */
    List<AsyncEvent> pollAsyncEvents(Duration timeout);

    /**
     * Drives an {@link Progress#INLINE} RNIC, and all INLINE RNICs of the same thread, once. Has no effect with an
     * engine thread.
     *
     * @return a measure of the work done; 0 if there was none
     */
    int progress();

    /**
     * Waits for work of the RNIC, of whatever kind: completions, bytes that arrive in memory, connections. Returns when there was
     * work, when {@code timeout} has passed, when {@link #wakeup} was called, or when the RNIC is closed. For programs that
     * poll several CQs, or flags in their memory, which no completion reports: check them, then call this method, in a loop.
     *
     * <p>With {@link Progress#INLINE}, the calling thread must be the owner, and drives the RNIC as {@link #progress()} does. With
     * an engine thread, the calling thread borrows the engine and drives it itself while it waits, so that a message costs no change
     * of threads; until the engine thread takes over, at most a millisecond later, it also sends what this thread posts. One
     * thread at a time borrows, and only if the RNIC has one engine; other threads, virtual threads and threads that own INLINE
     * RNICs wait for the engine threads. What an engine calls directly, such as {@code onSignal} of a handler loop, runs in the
     * thread that drives the engine; CQ handlers and listeners keep their threads. If the RNIC has
     * worked since the last call of the same thread, the method returns at once. Inside a callback of an engine it returns at once.
     *
     * <p>With a timeout of 0 the method does not wait. A program that calls it again and again drives the engine, too, which the engine thread
     * releases after a few calls.
     *
     * @return a measure of the work done; 0 if there was none
     * @throws WaitInterruptedException if the thread is interrupted and there was nothing to do
     */
    default int progress(Duration timeout) {
        return progress();
    }

    /**
     * The same, for a program that polls memory which peers write. A Write by direct access to shared memory is no work
     * of this RNIC: it wakes a thread that sleeps, and no other event shows it. So what a peer has written after the
     * program has looked, and before the thread sleeps, is found by {@code seen} only.
     *
     * @param seen returns whether there is something in memory, which ends the wait. An INLINE RNIC calls it between
     *     polls, and once more when peers know that this thread sleeps; others call it once, before the wait. It must
     *     not use the RNIC, and may be called often. What it throws ends the wait and is thrown by this method
     */
    default int progress(Duration timeout, BooleanSupplier seen) {
        return seen.getAsBoolean() ? progress() : progress(timeout);
    }

    /**
     * Ends each {@link #progress(Duration)} that waits; if there is none, the next one returns at once if it finds no work. Any
     * thread may call this.
     */
    default void wakeup() {}

    /**
     * The calling thread, which has borrowed the engine by {@link #progress(Duration)}, does something else for a while, for example waits
     * in a selector: the engine thread continues at once, and not only after up to a millisecond. Has no effect otherwise.
     */
    default void release() {}

    /**
     * Makes the calling thread the owner of an {@link Progress#INLINE} RNIC: the thread that posts, polls and waits.
     * The previous owner must not use the RNIC any more.
     */
    void adopt();

    /**
     * Closes the RNIC gracefully: rejects new work (posting throws {@link IllegalStateException}), lets posted work
     * complete and handlers process the completions for at most {@code grace}, then flushes the remaining work and
     * closes.
     */
    default void close(Duration grace) {
        close();
    }

    /**
     * Closes the RNIC: connections end and pending work is flushed. Threads that wait in the RNIC are woken: each wait ends as
     * documented there. After the return no handler runs. If another thread is
     * closing it, waits until that thread has closed it, except in a callback, for which that thread waits.
     */
    @Override
    void close();
}
