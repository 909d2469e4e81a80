package io.verbena.verbs;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * One end of a connection together with all objects it needs: an RNIC, a protection domain, a CQ, a queue pair and a
 * memory region. Intended for first programs and for small ones.
 *
 * <pre>{@code
 * try (RdmaPeer peer = RdmaPeer.open(4096, AccessRight.LOCAL_WRITE)) {
 *     peer.connect(new InetSocketAddress("10.0.0.2", 7175));
 *     peer.read(0, 4096, 0).join();                  // peer.memory() now holds the first 4096 bytes of the peer
 * }
 * }</pre>
 *
 * <p>When the two ends connect, each sends the other the address and key of its region, if the region has remote rights
 * ({@link #remote}). An operation returns a future with the number of transferred bytes. A failed operation completes
 * its future with a {@link WorkFailedException}; all later operations then fail too, because the connection has ended.
 *
 * <p>A future completes in a virtual thread of its own, so what depends on it may wait for other operations and may close
 * this end. Futures are done in the order in which the operations completed.
 *
 * <p><b>This class is convenient but slow.</b> Every operation allocates a future and passes through a handler thread
 * and a virtual thread, which takes a few microseconds. Programs that need more performance post to {@link #queuePair} and poll. Any thread
 * may call any method. Operations take effect in the order of the calls.
 */
public final class RdmaPeer implements AutoCloseable {

    private static final Set<AccessRight> REMOTE =
            EnumSet.of(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC);

    /** Maximum number of operations and receives in progress. */
    public static final int DEPTH = 64;

    private final Rnic rnic;
    private final ProtectionDomain domain;
    private final CompletionQueue cq;
    private final QueuePair queuePair;
    private final MemoryRegion memory;
    private final boolean opened;

    /** Receives the original values of atomics: 8 bytes for each operation in progress. */
    private final MemoryRegion words;

    // Guarded by this.
    private final Map<Long, Operation> pending = new HashMap<>();
    private final boolean[] wordTaken = new boolean[DEPTH];
    private CompletableFuture<Long> lastEnded = CompletableFuture.completedFuture(0L);
    private long lastId;
    private boolean closed;
    private Optional<RemoteRegion> remote = Optional.empty();
    private Optional<Listener> listener = Optional.empty();

    /** An operation in progress, and the index of its word in {@link #words}, or -1. */
    private record Operation(CompletableFuture<Long> future, int word) {}

    /** Posts one work request; returns false if the queue is full. */
    private interface Posting {
        boolean post(long id);
    }

    private RdmaPeer(RnicOptions options, long bytes, AccessRight... rights) {
        if (options.progress() == Progress.INLINE) {
            throw new IllegalArgumentException("an RdmaPeer needs an RNIC with Progress.ENGINE_THREAD: its futures must"
                    + " complete while no thread of the program drives the RNIC");
        }
        rnic = Rnic.open(options);
        try {
            domain = rnic.allocateProtectionDomain();
            CqHandlerId handler = rnic.setCompletionHandler(this::onCompletion);
            cq = rnic.createCompletionQueue(
                    CompletionQueueOptions.capacity(2 * DEPTH).withHandler(handler));
            queuePair = domain.createQueuePair(QueuePairOptions.of(cq).withDepths(DEPTH, DEPTH));
            memory = domain.allocate(bytes, rights);
            opened = Arrays.stream(rights).anyMatch(REMOTE::contains);
            words = domain.allocate((long) DEPTH * Long.BYTES, AccessRight.LOCAL_WRITE);
            cq.requestNotification(Notification.NEXT);
        } catch (RuntimeException e) {
            rnic.close();
            throw e;
        }
    }

    /**
     * Creates an end with a region of its own.
     *
     * @param bytes size of the region
     * @param rights rights of the region: {@link AccessRight#LOCAL_WRITE} to read or receive into it, remote rights to
     *     grant access to the peer. Without rights the region can only be the source of sends and writes
     * @throws VerbsException if no RNIC can be opened on this machine
     */
    public static RdmaPeer open(long bytes, AccessRight... rights) {
        return open(RnicOptions.defaults(), bytes, rights);
    }

    /**
     * Creates an end on an RNIC with these options.
     *
     * @throws IllegalArgumentException if the RNIC would be {@link Progress#INLINE}
     */
    public static RdmaPeer open(RnicOptions options, long bytes, AccessRight... rights) {
        return new RdmaPeer(options, bytes, rights);
    }

    // Connecting.

    /**
     * Connects to a listening peer.
     *
     * @throws ConnectionException if the peer was not reachable, rejected the connection, or did not answer within 5
     *     seconds, or if another thread closes this end
     * @throws WaitInterruptedException if the thread is interrupted
     */
    public void connect(SocketAddress address) throws ConnectionException {
        ConnectionOptions options = ConnectionOptions.defaults().withPrivateData(key());
        boolean before = isClosed();
        try {
            offered(rnic.connect(queuePair, address, options).privateData());
        } catch (IllegalStateException e) {
            if (before || !isClosed()) {
                throw e;
            }
            // Closed before the engine had begun: the queue pair that it is asked to connect has ended.
            ConnectionException ended = new ConnectionException(
                    ConnectionException.Kind.FAILED, "This end was closed before it was connected.", new byte[0]);
            ended.initCause(e);
            throw ended;
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /**
     * Starts to listen for a peer; {@link #accept} waits for it.
     *
     * @param address local address; with port 0 the system chooses a port
     * @return the local address, with the actual port
     * @throws IOException if the address cannot be used
     * @throws IllegalStateException if this end already listens
     */
    public synchronized SocketAddress listen(SocketAddress address) throws IOException {
        if (listener.isPresent()) {
            throw new IllegalStateException("this end already listens; call accept first");
        }
        Listener created = rnic.listen(address);
        listener = Optional.of(created);
        return created.localAddress();
    }

    /** A duration in milliseconds, or in days if milliseconds could overflow; 0 if negative. */
    private static String text(Duration time) {
        if (time.isNegative()) {
            return "0 ms";
        }
        return time.compareTo(Duration.ofDays(1)) < 0 ? time.toMillis() + " ms" : time.toDays() + " days";
    }

    /**
     * Accepts one peer and stops listening.
     *
     * @param timeout maximum time to wait for the peer
     * @throws ConnectionException if no peer connected in time, or the connection was not established
     * @throws IllegalStateException if {@link #listen} was not called
     * @throws WaitInterruptedException if the thread is interrupted
     */
    public void accept(Duration timeout) throws ConnectionException {
        try (Listener taken = takeListener()) {
            ConnectionRequest request = taken.nextRequest(timeout).orElseThrow(() -> noPeer(timeout));
            byte[] offer = request.privateData();
            request.accept(queuePair, ConnectionOptions.defaults().withPrivateData(key()));
            offered(offer);
        }
    }

    private synchronized ConnectionException noPeer(Duration timeout) {
        return closed
                ? new ConnectionException(
                        ConnectionException.Kind.FAILED, "This end was closed before a peer connected.", new byte[0])
                : new ConnectionException(
                        ConnectionException.Kind.TIMED_OUT,
                        "No peer connected within " + text(timeout) + ".",
                        new byte[0]);
    }

    private synchronized Listener takeListener() {
        Listener taken = listener.orElseThrow(
                () -> new IllegalStateException("this end does not listen; call listen before accept"));
        listener = Optional.empty();
        return taken;
    }

    private byte[] key() {
        return opened ? memory.remote().toBytes() : new byte[0];
    }

    private synchronized void offered(byte[] privateData) {
        remote = privateData.length < RemoteRegion.ENCODED_BYTES
                ? Optional.empty()
                : Optional.of(RemoteRegion.fromBytes(privateData));
    }

    /** The region of the peer; empty before the connection is established, or if the region has no remote rights. */
    public synchronized Optional<RemoteRegion> remote() {
        return remote;
    }

    private synchronized RemoteRegion theirs() {
        return remote.orElseThrow(() -> new IllegalStateException(
                "there is no remote region: connect first," + " and open the other end with remote rights"));
    }

    // Operations.

    /**
     * RDMA Write: copies bytes of the local region to an offset of the remote region. The future completes with the
     * number of bytes.
     */
    public CompletableFuture<Long> write(long offset, int length, long remoteOffset) {
        RemoteRegion to = theirs();
        return begin(id -> queuePair.postWrite(id, memory, offset, length, to, remoteOffset, WrFlags.SIGNALLED));
    }

    /**
     * RDMA Read: copies bytes at an offset of the remote region to the local region. The future completes with the
     * number of bytes.
     */
    public CompletableFuture<Long> read(long offset, int length, long remoteOffset) {
        RemoteRegion from = theirs();
        return begin(id -> queuePair.postRead(id, memory, offset, length, from, remoteOffset, WrFlags.SIGNALLED));
    }

    /**
     * Sends bytes of the local region to the oldest receive of the peer. An empty message can serve as a signal. The
     * future completes with the number of bytes.
     */
    public CompletableFuture<Long> send(long offset, int length) {
        return begin(id -> queuePair.postSend(id, memory, offset, length, WrFlags.SIGNALLED));
    }

    /**
     * Receives one message into the local region. Call it before the peer sends: a message without a receive ends the
     * connection. The future completes with the length of the message.
     */
    public CompletableFuture<Long> receive(long offset, int length) {
        return begin(id -> queuePair.postReceive(id, memory, offset, length));
    }

    /** Atomically adds to an 8-byte word of the remote region. The future completes with the original value. */
    public CompletableFuture<Long> fetchAndAdd(long remoteOffset, long addend) {
        RemoteRegion at = theirs();
        return atomic((id, word) -> queuePair.postFetchAndAdd(
                id, words, word, at.address() + remoteOffset, at.rkey(), addend, WrFlags.SIGNALLED));
    }

    /**
     * Atomically replaces an 8-byte word of the remote region if it has the expected value. The future completes with
     * the original value.
     */
    public CompletableFuture<Long> compareAndSwap(long remoteOffset, long expected, long desired) {
        RemoteRegion at = theirs();
        return atomic((id, word) -> queuePair.postCompareAndSwap(
                id, words, word, at.address() + remoteOffset, at.rkey(), expected, desired, WrFlags.SIGNALLED));
    }

    private interface AtomicPosting {
        boolean post(long id, long wordOffset);
    }

    private synchronized CompletableFuture<Long> atomic(AtomicPosting posting) {
        int word = 0;
        while (word < DEPTH && wordTaken[word]) {
            word++;
        }
        if (word == DEPTH) {
            throw full();
        }
        long offset = (long) word * Long.BYTES;
        return begin(id -> posting.post(id, offset), word);
    }

    private CompletableFuture<Long> begin(Posting posting) {
        return begin(posting, -1);
    }

    /** A queue pair permits one poster at a time. */
    private synchronized CompletableFuture<Long> begin(Posting posting, int word) {
        if (closed) {
            throw new IllegalStateException("this end of the connection is closed; open a new one");
        }
        long id = ++lastId;
        Operation operation = new Operation(new CompletableFuture<>(), word);
        // Registered before posting, because the operation may complete at once.
        pending.put(id, operation);
        boolean posted = false;
        try {
            posted = posting.post(id);
        } finally {
            if (!posted) {
                pending.remove(id);
            }
        }
        if (!posted) {
            throw full();
        }
        if (word >= 0) {
            wordTaken[word] = true;
        }
        return operation.future();
    }

    private static IllegalStateException full() {
        return new IllegalStateException(DEPTH + " operations are in progress, the maximum; wait for one first");
    }

    // Completions.

    private void onCompletion(CompletionQueue ready) {
        synchronized (this) {
            CompletionCursor cursor = ready.cursor();
            while (cursor.next()) {
                Operation done = pending.remove(cursor.wrId());
                if (done != null) {
                    complete(done, cursor);
                }
            }
        }
        ready.requestNotification(Notification.NEXT);
    }

    private void complete(Operation done, CompletionCursor cursor) {
        if (!cursor.ok()) {
            fail(done, new WorkFailedException(cursor.status(), cursor.reason()));
            return;
        }
        long value = cursor.byteCount();
        if (done.word() >= 0) {
            value = words.segment().get(ValueLayout.JAVA_LONG, (long) done.word() * Long.BYTES);
            wordTaken[done.word()] = false;
        }
        long result = value;
        end(done, () -> done.future().complete(result));
    }

    private void fail(Operation done, WorkFailedException failure) {
        end(done, () -> done.future().completeExceptionally(failure));
    }

    /**
     * Completes a future in a virtual thread of its own, because what depends on it runs there and may wait for other
     * operations. A future is done before the ones of later completions.
     */
    private synchronized void end(Operation done, Runnable completion) {
        CompletableFuture<Long> before = lastEnded;
        lastEnded = done.future();
        Thread.ofVirtual().name("verbena-future").start(() -> {
            while (!before.isDone()) {
                Thread.yield(); // it is done as soon as its thread has begun
            }
            completion.run();
        });
    }

    // Underlying objects.

    /** The local region. */
    public MemoryRegion memory() {
        return memory;
    }

    /**
     * The queue pair, for attributes and for work posted directly. Such work must not use the request numbers of this
     * class: 1, 2, 3 and so on.
     */
    public QueuePair queuePair() {
        return queuePair;
    }

    /** The RNIC. */
    public Rnic rnic() {
        return rnic;
    }

    /**
     * Closes the connection, gracefully if possible within one second, and all objects. Operations in progress fail.
     */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        queuePair.connection().ifPresent(Connection::close);
        rnic.close();
        List<Operation> left;
        synchronized (this) {
            left = List.copyOf(pending.values());
            pending.clear();
        }
        for (Operation each : left) {
            fail(
                    each,
                    new WorkFailedException(
                            CompletionStatus.FLUSHED, "This end was closed before the operation completed."));
        }
    }
}
