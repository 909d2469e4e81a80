package io.verbena.verbs;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * One end of one connection, with everything that it needs: an RNIC, a protection domain, a CQ, a queue pair and a region. The
 * short way to a first program, and to small ones.
 *
 * <pre>{@code
 * try (RdmaPeer peer = RdmaPeer.open(4096)) {
 *     peer.connect(new InetSocketAddress("10.0.0.2", 7175));
 *     peer.read(0, 4096, 0).join();                  // the peer's first 4096 bytes are in peer.memory() now
 * }
 * }</pre>
 *
 * <p>Each end tells the other the key of its region when they connect, if the region has remote rights ({@link #remote}). An
 * operation is a future with the number of bytes that it moved; {@code join()} waits for it. A failed one ends with a {@link
 * WorkFailedException}, and then so do all that follow, for the connection is over.
 *
 * <p><b>This is the slow way.</b> Every operation allocates a future and passes through a handler thread, which costs some
 * microseconds. Programs that need more post to {@link #queuePair} themselves: the verbs are below, unchanged. Any thread may
 * call any method; operations take effect in the order of the calls.
 */
public final class RdmaPeer implements AutoCloseable {

    private static final Set<AccessRight> REMOTE =
            EnumSet.of(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC);

    /** Operations, and receives, that may be under way at a time. */
    public static final int DEPTH = 64;

    private final Rnic rnic;
    private final ProtectionDomain domain;
    private final CompletionQueue cq;
    private final QueuePair queuePair;
    private final MemoryRegion memory;
    private final boolean opened;

    /** Where atomics bring the old value: 8 bytes for each operation under way. */
    private final MemoryRegion words;

    // Under the lock.
    private final Map<Long, Operation> pending = new HashMap<>();
    private final boolean[] wordTaken = new boolean[DEPTH];
    private long lastId;
    private boolean closed;
    private Optional<RemoteRegion> remote = Optional.empty();
    private Optional<Listener> listener = Optional.empty();

    /** Work under way, and the word that it uses, or -1. */
    private record Operation(CompletableFuture<Long> future, int word) {}

    /** How work is posted; false when its queue is full. */
    private interface Posting {
        boolean post(long id);
    }

    private RdmaPeer(RnicOptions options, long bytes, AccessRight... rights) {
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
     * An end with a region of its own.
     *
     * @param bytes of the region
     * @param rights of the region: {@link AccessRight#LOCAL_WRITE} to read or receive into it; remote rights to open it to the
     *     peer. None means that its bytes can only be sent and written from it
     */
    public static RdmaPeer open(long bytes, AccessRight... rights) {
        return open(RnicOptions.defaults(), bytes, rights);
    }

    /** The same on an RNIC of your choice. */
    public static RdmaPeer open(RnicOptions options, long bytes, AccessRight... rights) {
        return new RdmaPeer(options, bytes, rights);
    }

    // The connection.

    /**
     * Connects to a peer that accepts.
     *
     * @throws ConnectionException when it was not there, refused, or did not answer within 5 seconds
     */
    public void connect(SocketAddress address) throws ConnectionException {
        ConnectionOptions options = ConnectionOptions.defaults().withPrivateData(key());
        offered(rnic.connect(queuePair, address, options).privateData());
    }

    /**
     * Listens; {@link #accept} follows.
     *
     * @param address with port 0 the system chooses a port
     * @return the address, with its port
     * @throws IOException when the address cannot be used
     */
    public synchronized SocketAddress listen(SocketAddress address) throws IOException {
        if (listener.isPresent()) {
            throw new IllegalStateException("this end listens already");
        }
        Listener made = rnic.listen(address);
        listener = Optional.of(made);
        return made.localAddress();
    }

    /** Milliseconds of a time that may be too long to be counted in them. */
    private static String text(Duration time) {
        return time.compareTo(Duration.ofDays(1)) < 0 ? time.toMillis() + " ms" : time.toDays() + " days";
    }

    /**
     * Accepts one peer and stops listening.
     *
     * @param timeout how long to wait for the peer
     * @throws ConnectionException when no peer came in time, or its connection was not established
     */
    public void accept(Duration timeout) throws ConnectionException {
        try (Listener mine = takeListener()) {
            ConnectionRequest request = mine.nextRequest(timeout)
                    .orElseThrow(() -> new ConnectionException(
                            ConnectionException.Kind.TIMED_OUT,
                            "No peer connected within " + text(timeout) + ".",
                            new byte[0]));
            byte[] offer = request.privateData();
            request.accept(queuePair, ConnectionOptions.defaults().withPrivateData(key()));
            offered(offer);
        }
    }

    private synchronized Listener takeListener() {
        Listener mine = listener.orElseThrow(() -> new IllegalStateException("call listen before accept"));
        listener = Optional.empty();
        return mine;
    }

    private byte[] key() {
        return opened ? memory.remote().toBytes() : new byte[0];
    }

    private synchronized void offered(byte[] privateData) {
        remote = privateData.length < RemoteRegion.ENCODED_BYTES
                ? Optional.empty()
                : Optional.of(RemoteRegion.fromBytes(privateData));
    }

    /** The peer's region, once connected; empty when the peer's region has no remote rights. */
    public synchronized Optional<RemoteRegion> remote() {
        return remote;
    }

    private synchronized RemoteRegion theirs() {
        return remote.orElseThrow(() -> new IllegalStateException(
                "the peer has not opened its memory: connect first, and open the peer's end with remote rights"));
    }

    // Operations.

    /** RDMA Write: copies bytes of our region to an offset of the peer's. */
    public CompletableFuture<Long> write(long offset, int length, long remoteOffset) {
        RemoteRegion to = theirs();
        return begin(id -> queuePair.postWrite(id, memory, offset, length, to, remoteOffset, WrFlags.SIGNALLED));
    }

    /** RDMA Read: copies bytes at an offset of the peer's region to ours. */
    public CompletableFuture<Long> read(long offset, int length, long remoteOffset) {
        RemoteRegion from = theirs();
        return begin(id -> queuePair.postRead(id, memory, offset, length, from, remoteOffset, WrFlags.SIGNALLED));
    }

    /** Sends bytes of our region to the peer's oldest receive. An empty message is the usual way to say "done". */
    public CompletableFuture<Long> send(long offset, int length) {
        return begin(id -> queuePair.postSend(id, memory, offset, length, WrFlags.SIGNALLED));
    }

    /** Receives a message into our region. Call it before the peer sends: a message that finds no receive ends the connection. */
    public CompletableFuture<Long> receive(long offset, int length) {
        return begin(id -> queuePair.postReceive(id, memory, offset, length));
    }

    /** Adds to a word of 8 bytes of the peer's region, atomically; the future has the value before. */
    public CompletableFuture<Long> fetchAndAdd(long remoteOffset, long addend) {
        RemoteRegion at = theirs();
        return atomic((id, word) -> queuePair.postFetchAndAdd(
                id, words, word, at.address() + remoteOffset, at.rkey(), addend, WrFlags.SIGNALLED));
    }

    /** Replaces a word of 8 bytes of the peer's region if it has the expected value; the future has the value before. */
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

    /** One poster at a time, as a queue pair demands. */
    private synchronized CompletableFuture<Long> begin(Posting posting, int word) {
        if (closed) {
            throw new IllegalStateException("this end of the connection is closed");
        }
        long id = ++lastId;
        Operation operation = new Operation(new CompletableFuture<>(), word);
        // Before it is posted: it may complete at once.
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
        return new IllegalStateException(DEPTH + " operations are under way; wait for one of them first");
    }

    // Completions.

    private void onCompletion(CompletionQueue ready) {
        List<Runnable> endings = new ArrayList<>();
        synchronized (this) {
            CompletionCursor cursor = ready.cursor();
            while (cursor.next()) {
                Operation done = pending.remove(cursor.wrId());
                if (done != null) {
                    endings.add(ending(done, cursor));
                }
            }
        }
        ready.requestNotification(Notification.NEXT);
        // Outside of the lock: what follows an operation may begin the next one, in this thread or in another.
        endings.forEach(Runnable::run);
    }

    private Runnable ending(Operation done, CompletionCursor cursor) {
        if (!cursor.ok()) {
            WorkFailedException failure = new WorkFailedException(cursor.status(), cursor.reason());
            return () -> done.future().completeExceptionally(failure);
        }
        long value = cursor.byteCount();
        if (done.word() >= 0) {
            value = words.segment().get(ValueLayout.JAVA_LONG, (long) done.word() * Long.BYTES);
            wordTaken[done.word()] = false;
        }
        long result = value;
        return () -> done.future().complete(result);
    }

    // What is below.

    /** Our region. */
    public MemoryRegion memory() {
        return memory;
    }

    /** The queue pair, for attributes. Work that you post to it yourself must not use its numbers: 1, 2, 3 and so on. */
    public QueuePair queuePair() {
        return queuePair;
    }

    public Rnic rnic() {
        return rnic;
    }

    /** Ends the connection, gracefully if possible within a second, and closes everything. Operations under way fail. */
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
            each.future()
                    .completeExceptionally(new WorkFailedException(
                            CompletionStatus.FLUSHED, "This end was closed before the operation was done."));
        }
    }
}
