package io.verbena.messaging;

import io.verbena.messaging.policy.EnlargementPolicy;
import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Ranks that send each other messages, as the MPI standard has it: messages of a pair with the same tag arrive in the order in which
 * they were sent, a receive may name a source and a tag or any. One thread at a time uses a communicator.
 *
 * <p>Memory may be native or on the heap; large messages of native memory that any thread may reach go without a copy.
 */
public final class Communicator implements AutoCloseable {

    public static final int ANY_SOURCE = -1;
    public static final int ANY_TAG = -1;

    /** Largest tag of a program's own. */
    public static final int MAX_TAG = (1 << 30) - 1;

    static final int MESSAGES = 0; // contexts: those of the program and of collectives never meet
    private static final int COLLECTIVES = 1;
    static final int BARRIERS = 2;
    private static final int BROADCAST_TAG = 1 << 20;

    private final int rank;
    private final int size;
    private final Transport transport;
    private final Rnic rnic;
    private MessagingOptions options;
    private final Status ignored = new Status();
    private final MemorySegment nothing = MemorySegment.NULL;
    private boolean closed;

    Communicator(int rank, int size, Rnic rnic, Transport transport, MessagingOptions options) {
        this.rank = rank;
        this.size = size;
        this.rnic = rnic;
        this.transport = transport;
        this.options = options;
    }

    /**
     * All ranks of the job that this process was started in (MPI_Init): by {@code verbena run} or by Open MPI's mpirun. A
     * process that was started otherwise is the only rank.
     *
     * @throws IOException when the other ranks cannot be found
     */
    public static Communicator world() throws IOException {
        return world(MessagingOptions.defaults());
    }

    /** The same with other settings. */
    public static Communicator world(MessagingOptions options) throws IOException {
        return Bootstrap.join(options, System.getenv());
    }

    /** This process's rank, 0 to {@code size() - 1}. */
    public int rank() {
        return rank;
    }

    public int size() {
        return size;
    }

    // Point to point.

    /** Sends all of a buffer; when it returns the buffer is free (MPI_Send). */
    public void send(MemorySegment buffer, int dest, int tag) {
        send(buffer, 0, buffer.byteSize(), dest, tag);
    }

    public void send(MemorySegment buffer, long offset, long length, int dest, int tag) {
        checkTag(tag);
        send(buffer, offset, length, dest, tag, MESSAGES);
    }

    private void send(MemorySegment buffer, long offset, long length, int dest, int tag, int context) {
        check(buffer, offset, length, dest);
        Guard guard = transport.guard();
        guard.enter();
        try {
            if (transport.sendNow(buffer, offset, length, dest, tag, context)) {
                return;
            }
            Operation operation = transport.spare().start(true, buffer, offset, length, dest, tag, context);
            transport.send(operation);
            transport.waiter().await(operation);
            operation.check();
            transport.giveBack(operation);
        } finally {
            guard.leave();
        }
    }

    /** Receives into a buffer (MPI_Recv). */
    public Status recv(MemorySegment buffer, int source, int tag) {
        Status status = new Status();
        recv(buffer, 0, buffer.byteSize(), source, tag, status);
        return status;
    }

    /** The same without an object for the answer. */
    public void recv(MemorySegment buffer, long offset, long length, int source, int tag, Status status) {
        checkAnyTag(tag);
        recv(buffer, offset, length, source, tag, MESSAGES, status);
    }

    private void recv(MemorySegment buffer, long offset, long length, int source, int tag, int context, Status status) {
        Guard guard = transport.guard();
        guard.enter();
        try {
            finish(startReceive(buffer, offset, length, source, tag, context), status);
        } finally {
            guard.leave();
        }
    }

    private Operation startReceive(MemorySegment buffer, long offset, long length, int source, int tag, int context) {
        checkSource(buffer, offset, length, source);
        Operation operation = transport.spare().start(false, buffer, offset, length, source, tag, context);
        transport.receive(operation);
        return operation;
    }

    private void finish(Operation receive, Status status) {
        transport.waiter().await(receive);
        receive.check();
        Status found = receive.status();
        status.set(found.source(), found.tag(), found.count());
        transport.giveBack(receive);
    }

    /** Starts to send; the buffer must stay as it is until the request is done (MPI_Isend). */
    public Request isend(MemorySegment buffer, int dest, int tag) {
        return isend(buffer, 0, buffer.byteSize(), dest, tag);
    }

    public Request isend(MemorySegment buffer, long offset, long length, int dest, int tag) {
        checkTag(tag);
        check(buffer, offset, length, dest);
        Operation operation = new Operation(transport).start(true, buffer, offset, length, dest, tag, MESSAGES);
        Guard guard = transport.guard();
        guard.enter();
        try {
            if (dest != rank && transport.sendNow(buffer, offset, length, dest, tag, MESSAGES)) {
                operation.sent();
            } else {
                transport.send(operation);
            }
        } finally {
            guard.leave();
        }
        return operation;
    }

    /** Starts to receive (MPI_Irecv). */
    public Request irecv(MemorySegment buffer, int source, int tag) {
        return irecv(buffer, 0, buffer.byteSize(), source, tag);
    }

    public Request irecv(MemorySegment buffer, long offset, long length, int source, int tag) {
        checkAnyTag(tag);
        checkSource(buffer, offset, length, source);
        Operation operation = new Operation(transport).start(false, buffer, offset, length, source, tag, MESSAGES);
        guarded(() -> transport.receive(operation));
        return operation;
    }

    /** Sends and receives at once (MPI_Sendrecv). */
    public Status sendrecv(
            MemorySegment sendBuffer, int dest, int sendTag, MemorySegment recvBuffer, int source, int recvTag) {
        Request receive = irecv(recvBuffer, source, recvTag);
        send(sendBuffer, dest, sendTag);
        return receive.await();
    }

    /** Whether a message that a receive would take is here (MPI_Iprobe); makes progress. */
    public boolean iprobe(int source, int tag, Status status) {
        checkAnyTag(tag);
        checkAnySource(source);
        Guard guard = transport.guard();
        guard.enter();
        try {
            transport.progress();
            return transport.probe(source, tag, MESSAGES, status);
        } finally {
            guard.leave();
        }
    }

    /** Waits for a message that a receive would take, and leaves it there (MPI_Probe). */
    public Status probe(int source, int tag) {
        Status status = new Status();
        long startNs = System.nanoTime();
        while (!iprobe(source, tag, status)) {
            guarded(() -> {
                if (!transport.gone(source).isEmpty()) {
                    throw new RankFailedException(transport.gone(source), failedRanks());
                }
                transport.waiter().idle(startNs);
                transport.waiter().watch(source == ANY_SOURCE, startNs);
            });
            if (System.nanoTime() - startNs > options.timeout().toNanos()) {
                throw new MessagingException(
                        "No message came within " + options.timeout().toSeconds() + " s.");
            }
        }
        return status;
    }

    /** Makes progress without waiting, for programs that compute for long; returns a measure of the work done. */
    public int progress() {
        Guard guard = transport.guard();
        guard.enter();
        try {
            return transport.progress();
        } finally {
            guard.leave();
        }
    }

    private void guarded(Runnable what) {
        Guard guard = transport.guard();
        guard.enter();
        try {
            what.run();
        } finally {
            guard.leave();
        }
    }

    // Collectives.

    /** Returns when all ranks have called it (MPI_Barrier). */
    public void barrier() {
        guarded(this::disseminate);
    }

    private void disseminate() {
        // Dissemination: in round k everybody tells the rank 2^k further on, and hears from the one 2^k before.
        for (int distance = 1; distance < size; distance *= 2) {
            // The receive is there first: a send may wait for its receive, and here all wait for each other in a ring.
            int from = Math.floorMod(rank - distance, size);
            Operation receive = startReceive(nothing, 0, 0, from, distance, BARRIERS);
            try {
                send(nothing, 0, 0, (rank + distance) % size, distance, BARRIERS);
            } catch (RuntimeException e) {
                transport.cancel(receive);
                throw e;
            }
            finish(receive, ignored);
        }
    }

    /** The root's bytes come to all ranks (MPI_Bcast). */
    public void bcast(MemorySegment buffer, int root) {
        bcast(buffer, 0, buffer.byteSize(), root);
    }

    public void bcast(MemorySegment buffer, long offset, long length, int root) {
        check(buffer, offset, length, root);
        // A binomial tree around the root: who has it gives it to the one that many further on.
        int mine = Math.floorMod(rank - root, size);
        int distance = 1;
        while (distance < size && (mine & distance) == 0) {
            distance *= 2;
        }
        if (mine != 0) {
            recv(buffer, offset, length, (mine - distance + root) % size, BROADCAST_TAG, COLLECTIVES, ignored);
        }
        for (distance /= 2; distance >= 1; distance /= 2) {
            if (mine + distance < size) {
                send(buffer, offset, length, (mine + distance + root) % size, BROADCAST_TAG, COLLECTIVES);
            }
        }
    }

    // Failures.

    /**
     * Ranks that have died, as far as this rank knows, lowest first. A rank that closes its communicator has not died.
     *
     * <p>When a rank dies, operations with it fail, and receives from any rank and barriers of all ranks fail with a {@link
     * RankFailedException}, since they may have waited for it. Who goes on without it calls {@link #acknowledgeFailures}.
     */
    public List<Integer> failedRanks() {
        AtomicReference<List<Integer>> died = new AtomicReference<>(List.of());
        guarded(() -> died.set(transport.members().died()));
        return died.get();
    }

    /** Receives from any rank do without the ranks that have died until now (MPIX_Comm_failure_ack). Barriers need all. */
    public void acknowledgeFailures() {
        guarded(transport.members()::acknowledge);
    }

    // Figures.

    /**
     * Figures of the channel to a rank; empty when there is none.
     *
     * @throws IllegalArgumentException when there is no such rank
     */
    public Optional<ChannelFigures> figures(int other) {
        checkRank(other);
        Guard guard = transport.guard();
        guard.enter();
        try {
            return Optional.ofNullable(transport.peer(other).channel).map(Channel::figures);
        } finally {
            guard.leave();
        }
    }

    /** Registered bytes of all channels of this rank. */
    public long registeredBytes() {
        return transport.endpoint().registeredBytes();
    }

    // Settings that can be changed at any time.

    /** Another policy for the buffers of all channels, those to come included, from the next message on. */
    public void policy(EnlargementPolicy value) {
        MessagingOptions changed = options.withChannel(options.channel().withPolicy(value));
        guarded(() -> {
            transport.endpoint().policy(value);
            transport.rendezvousThresholdBytes(
                    Math.min(transport.rendezvousThresholdBytes(), changed.rendezvousThresholdBytes()));
            options = changed;
        });
    }

    /** Messages above this go straight from user memory to user memory; at most the threshold of the largest buffers. */
    public void rendezvousThreshold(int bytes) {
        MessagingOptions changed = options.withRendezvousThresholdBytes(bytes);
        guarded(() -> {
            transport.rendezvousThresholdBytes(bytes);
            options = changed;
        });
    }

    // Its end.

    /** All ranks are known: a thread may make progress from here on, if the options want one. */
    Communicator joined() {
        if (options.progressThread()) {
            transport.guard(ProgressThread.start(transport, rank));
        }
        return this;
    }

    /** Waits until all ranks have come here, then ends all connections (MPI_Finalize). */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        try {
            barrier();
        } catch (MessagingException e) {
            // A rank is gone: there is nobody to wait for, and its loss was told where it mattered.
        } finally {
            closed = true;
            transport.guard().close();
            transport.close();
            rnic.close();
        }
    }

    /** Ends all connections at once: this rank has failed. */
    void abort() {
        if (!closed) {
            closed = true;
            transport.guard().close();
            transport.endpoint().abort();
            rnic.close();
        }
    }

    private void check(MemorySegment buffer, long offset, long length, int dest) {
        java.util.Objects.checkFromIndexSize(offset, length, buffer.byteSize());
        checkRank(dest);
        checkOpen();
    }

    private void checkRank(int other) {
        if (other < 0 || other >= size) {
            throw new IllegalArgumentException("ranks are 0 to " + (size - 1) + ", not " + other);
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the communicator is closed");
        }
    }

    private void checkSource(MemorySegment buffer, long offset, long length, int source) {
        if (buffer.isReadOnly()) {
            throw new IllegalArgumentException("the buffer of a receive must be writable");
        }
        java.util.Objects.checkFromIndexSize(offset, length, buffer.byteSize());
        checkAnySource(source);
    }

    private void checkAnySource(int source) {
        if (source != ANY_SOURCE) {
            checkRank(source);
        }
        checkOpen();
    }

    private static void checkTag(int tag) {
        if (tag < 0 || tag > MAX_TAG) {
            throw new IllegalArgumentException("tags are 0 to " + MAX_TAG + ", not " + tag);
        }
    }

    private static void checkAnyTag(int tag) {
        if (tag != ANY_TAG) {
            checkTag(tag);
        }
    }
}
