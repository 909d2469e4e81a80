package io.verbena.messaging;

import io.verbena.messaging.channel.Channel;
import io.verbena.messaging.channel.ChannelFigures;
import io.verbena.messaging.channel.MessagingException;
import io.verbena.messaging.collective.AlgorithmTable;
import io.verbena.messaging.collective.Call;
import io.verbena.messaging.policy.EnlargementPolicy;
import io.verbena.messaging.protocol.Agreement;
import io.verbena.messaging.protocol.Contexts;
import io.verbena.messaging.protocol.Matching;
import io.verbena.messaging.transfer.Guard;
import io.verbena.messaging.transfer.ProgressThread;
import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

// Over 500 lines: the calls of a program on its ranks, each of which only checks its arguments and names who does the
// work.
/**
 * Ranks that exchange messages as defined by the MPI standard: messages of a pair with the same tag arrive in the order in which they were
 * sent, and a receive names a source and a tag or accepts any. One thread at a time uses a communicator.
 *
 * <p>Memory may be native or on the heap; large messages of native memory that any thread can access are transferred without a copy.
 */
public final class Communicator implements AutoCloseable {

    public static final int ANY_SOURCE = Matching.ANY;
    public static final int ANY_TAG = Matching.ANY;

    /** The color of a rank that is in none of the communicators of a split (MPI_UNDEFINED). */
    public static final int NO_COLOR = -1;

    /** Largest tag of a program. */
    public static final int MAX_TAG = PointToPoint.MAX_TAG;

    private final int rank;
    private final int size;
    private final Messenger messenger;
    private final PointToPoint messages;
    private final Probes probes;
    private final TreeCollectives trees;
    private final CollectiveEngine engine;
    private final Group group;
    private final boolean world;
    private final Rnic rnic;
    private MessagingOptions options;
    private boolean closed;

    Communicator(int rank, int size, Rnic rnic, Messenger messenger, MessagingOptions options) {
        this.rank = rank;
        this.size = size;
        this.rnic = rnic;
        this.messenger = messenger;
        this.options = options;
        messages = new PointToPoint(rank, size, messenger);
        probes = new Probes(messenger, messages, this::checkUsable);
        trees = new TreeCollectives(rank, size, messenger, messages);
        group = Group.all(size);
        engine = messenger.engines().create(0, group, rank);
        world = true;
    }

    /** A communicator of some ranks of another one. */
    Communicator(Communicator parent, Group group, int number) {
        this.group = group;
        size = group.size();
        rank = group.rankOf(parent.group.world(parent.rank));
        rnic = parent.rnic;
        messenger = parent.messenger;
        options = parent.options;
        messages = new PointToPoint(rank, size, messenger, group, Contexts.messages(number));
        probes = new Probes(messenger, messages, this::checkUsable);
        trees = parent.trees;
        engine = messenger.engines().create(number, group, rank);
        engine.table(parent.engine.table());
        world = false;
    }

    /**
     * Joins all ranks of the job that this process was started in (MPI_Init), by {@code verbena run} or another launcher
     * ({@link io.verbena.messaging.launch.LaunchEnvironment}). A process that was started otherwise is the only rank.
     *
     * @throws IOException if the other ranks cannot be found
     */
    public static Communicator world() throws IOException {
        return world(MessagingOptions.defaults());
    }

    /** Joins all ranks of the job with these options. */
    public static Communicator world(MessagingOptions options) throws IOException {
        return world(options, System.getenv());
    }

    /** Joins all ranks of the job that these environment variables describe, for processes whose launcher sets none. */
    public static Communicator world(MessagingOptions options, Map<String, String> environment) throws IOException {
        return Bootstrap.join(options, environment);
    }

    /** Rank of this process, 0 to {@code size() - 1}. */
    public int rank() {
        return rank;
    }

    /** Number of ranks. */
    public int size() {
        return size;
    }

    /**
     * Allocates zeroed memory for messages (MPI_Alloc_mem). A message in it is not copied before it is transferred, and
     * between ranks that share memory it is copied once, by its receiver. Messages in other memory arrive as well, with
     * more copies.
     *
     * <p>A rank registers up to 32 pieces of 16 KiB and more, 1 GiB together, until the job is closed: allocate buffers
     * once. Shorter pieces and further ones are ordinary memory. The memory may be used after the job was closed; the
     * garbage collector frees it then. Ranks that were sent a message from a piece can read all of the piece.
     *
     * @param bytes length, 0 or more
     * @return native memory that any thread can access, aligned to pages
     */
    public MemorySegment allocate(long bytes) {
        return messenger.endpoint().allocations().allocate(bytes);
    }

    // Point to point.

    /** Sends a whole buffer; when the call returns the buffer is free (MPI_Send). */
    public void send(MemorySegment buffer, int dest, int tag) {
        send(buffer, 0, buffer.byteSize(), dest, tag);
    }

    /** Sends a part of a buffer (MPI_Send). */
    public void send(MemorySegment buffer, long offset, long length, int dest, int tag) {
        PointToPoint.checkTag(tag);
        messages.checkSend(buffer, offset, length, dest);
        checkUsable();
        Guard guard = enter();
        try {
            messages.send(buffer, offset, length, dest, tag, messages.context());
        } finally {
            guard.leave();
        }
    }

    /** Receives into a whole buffer (MPI_Recv). */
    public Status recv(MemorySegment buffer, int source, int tag) {
        Status status = new Status();
        recv(buffer, 0, buffer.byteSize(), source, tag, status);
        return status;
    }

    /** Receives into a part of a buffer and reports the message in a status that can be reused (MPI_Recv). */
    public void recv(MemorySegment buffer, long offset, long length, int source, int tag, Status status) {
        PointToPoint.checkAnyTag(tag);
        messages.checkReceive(buffer, offset, length, source);
        checkUsable();
        Guard guard = enter();
        try {
            MessageRequest receive = messages.receiveOperation(buffer, offset, length, source, tag, messages.context());
            messages.receive(receive, status);
        } finally {
            guard.leave();
        }
    }

    /** Starts to send; the buffer must not be changed until the request is done (MPI_Isend). */
    public Request isend(MemorySegment buffer, int dest, int tag) {
        return isend(buffer, 0, buffer.byteSize(), dest, tag);
    }

    /** Starts to send a part of a buffer (MPI_Isend). */
    public Request isend(MemorySegment buffer, long offset, long length, int dest, int tag) {
        PointToPoint.checkTag(tag);
        messages.checkSend(buffer, offset, length, dest);
        checkUsable();
        return guarded(() -> messages.startSend(buffer, offset, length, dest, tag));
    }

    /** Sends a whole buffer; when the call returns a receive has been matched to the message (MPI_Ssend). */
    public void ssend(MemorySegment buffer, int dest, int tag) {
        PointToPoint.checkTag(tag);
        messages.checkSend(buffer, 0, buffer.byteSize(), dest);
        checkUsable();
        guarded(() -> {
            messages.sendSynchronously(buffer, 0, buffer.byteSize(), dest, tag);
            return true;
        });
    }

    /** Starts to send; the request is done when a receive has been matched to the message (MPI_Issend). */
    public Request issend(MemorySegment buffer, int dest, int tag) {
        PointToPoint.checkTag(tag);
        messages.checkSend(buffer, 0, buffer.byteSize(), dest);
        checkUsable();
        return guarded(() -> messages.startSynchronousSend(buffer, 0, buffer.byteSize(), dest, tag));
    }

    /** Starts to receive (MPI_Irecv). */
    public Request irecv(MemorySegment buffer, int source, int tag) {
        return irecv(buffer, 0, buffer.byteSize(), source, tag);
    }

    /** Starts to receive into a part of a buffer (MPI_Irecv). */
    public Request irecv(MemorySegment buffer, long offset, long length, int source, int tag) {
        PointToPoint.checkAnyTag(tag);
        messages.checkReceive(buffer, offset, length, source);
        checkUsable();
        return guarded(() -> messages.startReceive(buffer, offset, length, source, tag));
    }

    /** Sends and receives at once (MPI_Sendrecv). */
    public Status sendrecv(
            MemorySegment sendBuffer, int dest, int sendTag, MemorySegment recvBuffer, int source, int recvTag) {
        PointToPoint.checkTag(sendTag);
        PointToPoint.checkAnyTag(recvTag);
        messages.checkSend(sendBuffer, 0, sendBuffer.byteSize(), dest);
        messages.checkReceive(recvBuffer, 0, recvBuffer.byteSize(), source);
        checkUsable();
        return guarded(() -> messages.exchange(sendBuffer, dest, sendTag, recvBuffer, source, recvTag));
    }

    /** Returns whether a message has arrived that a receive would take (MPI_Iprobe); makes progress. */
    public boolean iprobe(int source, int tag, Status status) {
        return probes.probe(source, tag, status);
    }

    /** Waits for a message that a receive would take, and does not take it (MPI_Probe). */
    public Status probe(int source, int tag) {
        Status status = new Status();
        probes.await(source, tag, () -> probes.probe(source, tag, status));
        return status;
    }

    /** Takes a message that has arrived, so that no other receive gets it (MPI_Improbe); makes progress. Empty if there is none. */
    public Optional<Message> improbe(int source, int tag) {
        return probes.take(source, tag);
    }

    /** Waits for a message and takes it (MPI_Mprobe). */
    public Message mprobe(int source, int tag) {
        AtomicReference<Optional<Message>> found = new AtomicReference<>(Optional.empty());
        probes.await(source, tag, () -> {
            found.setPlain(probes.take(source, tag));
            return found.getPlain().isPresent();
        });
        return found.getPlain().orElseThrow();
    }

    /** Makes progress without waiting, for programs that compute for long; returns a measure of the work done. */
    public int progress() {
        Guard guard = enter();
        try {
            return messenger.progress();
        } finally {
            guard.leave();
        }
    }

    // Collectives.

    /**
     * Returns when all ranks have called it (MPI_Barrier).
     *
     * @throws RankFailedException if a rank has died
     */
    public void barrier() {
        checkUsable();
        if (!world) {
            collectives().barrier();
            return;
        }
        guarded(() -> {
            trees.barrier();
            return true;
        });
    }

    /** Copies the bytes of the root to the buffers of all ranks (MPI_Bcast). */
    public void bcast(MemorySegment buffer, int root) {
        bcast(buffer, 0, buffer.byteSize(), root);
    }

    /**
     * Copies the bytes of the root to a part of the buffers of all ranks (MPI_Bcast).
     *
     * @throws RankFailedException if a rank has died from which this rank receives the bytes, directly or through others, or to which it
     *     sends them. The ranks that do not depend on the dead rank receive the bytes
     */
    public void bcast(MemorySegment buffer, long offset, long length, int root) {
        messages.checkSend(buffer, offset, length, root);
        if (rank != root) {
            messages.checkReceive(buffer, offset, length, root);
        }
        checkUsable();
        if (!world) {
            collectives().bcast(buffer.asSlice(offset, length), root);
            return;
        }
        guarded(() -> {
            trees.broadcast(buffer, offset, length, root);
            return true;
        });
    }

    /** Collective operations that return when this rank has done its part. */
    public Collectives<Communicator> collectives() {
        return new Collectives<>(rank, size, (call, send, receive) -> {
            checkUsable();
            return guarded(() -> {
                engine.execute(call, send, receive);
                return this;
            });
        });
    }

    /** Collective operations that are started and continue while the program does something else (MPI_Iallreduce and its like). */
    public Collectives<Request> nonBlocking() {
        return new Collectives<>(rank, size, (call, send, receive) -> {
            checkUsable();
            return guarded(() -> engine.start(engine.prepare(call, send, receive)));
        });
    }

    /** Collective operations that are prepared once and started many times (MPI_Allreduce_init and its like). */
    public Collectives<PersistentRequest> persistent() {
        return new Collectives<>(rank, size, (call, send, receive) -> {
            checkUsable();
            return guarded(() -> engine.prepare(call, send, receive));
        });
    }

    /**
     * Offers memory to all ranks, each of which reads and writes it (MPI_Win_create). All ranks call it, with memory of any length.
     *
     * @param memory native memory that any thread can access; its address should be a multiple of 8 where elements are accumulated
     */
    public Window window(MemorySegment memory) {
        checkUsable();
        Window window = new Window(this, messenger, memory);
        return guarded(window::open);
    }

    // Communicators of some ranks.

    /** The ranks of this communicator, as ranks of the job (MPI_Comm_group). */
    public Group group() {
        return group;
    }

    /**
     * Divides the ranks into communicators, one for each color; ranks with the same color are ordered by their key, then by their rank
     * (MPI_Comm_split). All ranks call it.
     *
     * @param color 0 or more; {@link #NO_COLOR} for none
     * @return the communicator of this rank's color; empty if it has none
     */
    public Optional<Communicator> split(int color, int key) {
        checkUsable();
        return new CommunicatorCreation(this, messenger.engines()).split(color, key);
    }

    /** A communicator of the same ranks, whose messages are separate (MPI_Comm_dup). All ranks call it. */
    public Communicator dup() {
        return split(0, rank).orElseThrow();
    }

    /**
     * A communicator of a group of these ranks (MPI_Comm_create). All ranks call it with the same group.
     *
     * @return empty if this rank is not a member
     */
    public Optional<Communicator> create(Group members) {
        int own = members.rankOf(group.world(rank));
        return split(own == Group.NONE ? NO_COLOR : 0, own);
    }

    Communicator among(Group members, int number) {
        return guarded(() -> new Communicator(this, members, number));
    }

    // Failures.

    /**
     * Ranks that have died, as far as this rank knows, in ascending order. A rank that closes its communicator has not died.
     *
     * <p>When a rank dies, operations with it fail. Receives from any rank and collective operations that may depend on it fail with a {@link
     * RankFailedException}. A program that continues without the rank calls {@link #acknowledgeFailures}.
     */
    public List<Integer> failedRanks() {
        return guarded(() -> messenger.failures().died());
    }

    /**
     * Ends all messages and collective operations of this communicator at all its ranks, with a {@link RevokedException} (MPIX_Comm_revoke). Only
     * {@link #agree} and {@link #shrink} are possible afterwards. A rank that has found a failure calls this to let the others, which may wait
     * for messages that do not come, leave their calls.
     */
    public void revoke() {
        checkOpen();
        guarded(() -> messenger.engines().revoke(engine, "This rank has revoked the communicator."));
    }

    /** Returns whether a rank has revoked this communicator (MPIX_Comm_is_revoked). */
    public boolean isRevoked() {
        guarded(() -> {
            messenger.progress();
        });
        return engine.isRevoked();
    }

    /**
     * Agrees with all living ranks on a value: the bitwise AND of what they pass (MPIX_Comm_agree). Ranks that die meanwhile do not prevent it:
     * all ranks that return have the same value. Works after failures and after {@link #revoke}; deaths do not let it fail, see {@link
     * #failedRanks}. All living ranks call it.
     *
     * @throws MessagingException if a living rank does not call it in time
     */
    public long agree(long flags) {
        checkOpen();
        return guarded(() -> agreed(flags).words()[0]);
    }

    /**
     * A communicator of the living ranks, in the same order (MPIX_Comm_shrink). Ranks that die meanwhile may be in it; then its operations fail,
     * and it can be shrunk again. Works after failures and after {@link #revoke}. All living ranks call it.
     *
     * @throws MessagingException if a living rank does not call it in time, or if the others have lost the connection to this rank
     */
    public Communicator shrink() {
        checkOpen();
        Agreement.Value agreed = guarded(() -> agreed(-1));
        if (agreed.dead().get(rank)) {
            throw new MessagingException(
                    "The other ranks have lost the connection to this rank, and go on without it.");
        }
        int number = CollectiveEngines.firstUnused(agreed.words(), 1);
        return among(group.exclude(agreed.dead().stream().toArray()), number);
    }

    private Agreement.Value agreed(long flags) {
        Agreements agreements = engine.agreements();
        agreements.start(messenger.engines().unusedAfter(flags));
        messenger.await(agreements);
        return agreements.value();
    }

    /** Lets receives from any rank ignore the ranks that have died until now (MPIX_Comm_failure_ack). Barriers still need all ranks. */
    public void acknowledgeFailures() {
        guarded(() -> {
            messenger.failures().acknowledge();
            return true;
        });
    }

    // Figures.

    /** Figures of the collective operations of this communicator. */
    public CommunicatorFigures figures() {
        Guard guard = enter();
        try {
            return engine.figures();
        } finally {
            guard.leave();
        }
    }

    /**
     * Figures of the channel to a rank; empty if there is none.
     *
     * @throws IllegalArgumentException if there is no such rank
     */
    public Optional<ChannelFigures> figures(int other) {
        messages.checkRank(other);
        Guard guard = enter();
        try {
            return Optional.ofNullable(messenger.peer(messages.world(other)).channel)
                    .map(Channel::figures);
        } finally {
            guard.leave();
        }
    }

    /** Registered bytes of all channels of this rank. */
    public long registeredBytes() {
        return messenger.endpoint().registeredBytes();
    }

    // Settings that can be changed at any time.

    /** Sets another policy for the buffers of all present and future channels, from the next message on. */
    public void policy(EnlargementPolicy value) {
        MessagingOptions changed = options.withChannel(options.channel().withPolicy(value));
        guarded(() -> {
            messenger.endpoint().policy(value);
            messenger.rendezvousThresholdBytes(
                    Math.min(messenger.rendezvousThresholdBytes(), changed.rendezvousThresholdBytes()));
            options = changed;
            return true;
        });
    }

    /** Longer messages are transferred from user memory to user memory; at most the threshold of the largest buffers. */
    public void rendezvousThreshold(int bytes) {
        MessagingOptions changed = options.withRendezvousThresholdBytes(bytes);
        guarded(() -> {
            messenger.rendezvousThresholdBytes(bytes);
            options = changed;
            return true;
        });
    }

    /**
     * Uses other thresholds for the algorithms of collective operations, from the next one that is prepared on; communicators that are made of this
     * one use them too. All ranks set the same table.
     */
    public void algorithms(AlgorithmTable table) {
        guarded(() -> engine.table(table));
    }

    // End.

    /** The addresses of all ranks are known: starts the progress thread if the options request one. */
    Communicator joined() {
        if (options.progressThread()) {
            messenger.guard(ProgressThread.start(messenger::progress, rank));
        }
        return this;
    }

    /**
     * Waits until all ranks have called it, then ends all connections (MPI_Finalize). For a communicator that was made of another one, its ranks
     * wait for each other and the connections stay (MPI_Comm_free).
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        if (!world) {
            closed = true;
            free();
            return;
        }
        try {
            guarded(() -> {
                messenger.members().leave();
                return true;
            });
            barrier();
        } catch (MessagingException e) {
            // A rank is gone. Its loss was reported by the operations that depend on it, and there is nothing to wait
            // for.
        } finally {
            closed = true;
            messenger.guard().close();
            try {
                messenger.close();
            } finally {
                rnic.close();
            }
        }
    }

    /** All ranks free a communicator that they have made (MPI_Comm_free): its number can be used again. */
    private void free() {
        guarded(() -> {
            boolean closedByAll = false;
            try {
                engine.execute(Call.BARRIER, MemorySegment.NULL, MemorySegment.NULL);
                closedByAll = true;
            } catch (MessagingException e) {
                // A rank is gone, and was reported by other operations.
            }
            messenger.engines().remove(engine, closedByAll);
            return true;
        });
    }

    /** Ends all connections at once: this rank has failed. */
    void abort() {
        if (!closed && world) {
            closed = true;
            messenger.guard().close();
            messenger.endpoint().abort();
            rnic.close();
        }
    }

    private Guard enter() {
        Guard guard = messenger.guard();
        guard.enter();
        return guard;
    }

    void guarded(Runnable action) {
        messenger.guard().run(action);
    }

    private <T> T guarded(Supplier<T> action) {
        return messenger.guard().get(action);
    }

    private void checkUsable() {
        checkOpen();
        engine.checkRevoked();
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the communicator is closed");
        }
    }
}
