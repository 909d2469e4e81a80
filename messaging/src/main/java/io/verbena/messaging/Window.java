package io.verbena.messaging;

import io.verbena.messaging.channel.Channel;
import io.verbena.messaging.channel.MessagingException;
import io.verbena.messaging.collective.ElementType;
import io.verbena.messaging.collective.Reduction;
import io.verbena.messaging.transfer.Awaited;
import io.verbena.messaging.transfer.Peer;
import io.verbena.messaging.transfer.RemoteAccess;
import io.verbena.messaging.transfer.RemoteAccesses;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Memory of all ranks of a communicator that each of them reads and writes without the help of the others (MPI_Win): puts are RDMA Writes, gets
 * are RDMA Reads, and locks are atomic operations. A rank whose RNIC is INLINE serves the accesses of others while it calls its communicator,
 * whatever the call is; {@link MessagingOptions#withProgressThread} serves them at any time.
 *
 * <p>Puts and gets are started by their call and are complete after {@link #flush} or {@link #unlock}; until then their buffers must not be
 * changed or read. Accumulating calls are complete when they return, and each element is updated atomically with respect to other accumulating
 * calls. Offsets and lengths are in bytes.
 *
 * <p>If a rank dies, accesses to it fail with a {@link RankFailedException}, and so does every wait for a lock: the dead rank may hold
 * it. Locks that are free can still be taken.
 */
public final class Window implements AutoCloseable {

    /** The elements of the call replace those of the window (MPI_REPLACE). */
    public static final Reduction REPLACE = Reduction.of((in, inout, _) -> inout.copyFrom(in), false);

    /** The elements of the window stay as they are; for calls that fetch them (MPI_NO_OP). */
    public static final Reduction NO_OP = Reduction.of((_, _, _) -> {}, false);

    private final RemoteAccesses.LocalWindow whenGone = this::gone;
    private final Communicator ranks;
    private final Messenger messenger;
    private final MemorySegment memory;
    private final MemorySegment control = Arena.ofShared().allocate(WindowLocks.BYTES, 64);
    private final @Nullable WindowTarget[] targets; // by rank; null: this rank
    private final WindowLocks locks;
    private final WindowUpdates updates;
    private boolean closed;

    /** All ranks of a communicator call this. */
    Window(Communicator ranks, Messenger messenger, MemorySegment memory) {
        if (!memory.isNative() || memory.isReadOnly() || !memory.isAccessibleBy(OTHER_THREAD)) {
            throw new IllegalArgumentException(
                    "the memory of a window must be native, writable and accessible by any thread");
        }
        this.ranks = ranks;
        this.messenger = messenger;
        this.memory = memory;
        targets = new @Nullable WindowTarget[ranks.size()];
        locks = new WindowLocks(this, messenger, ranks);
        updates = new WindowUpdates(this, locks);
    }

    /** A thread that is never started; stands for any thread but the present one. */
    private static final Thread OTHER_THREAD = Thread.ofPlatform().unstarted(() -> {});

    /** Connects to all ranks and exchanges where their memory is; the caller has entered the guard. */
    Window open() {
        Group group = ranks.group();
        messenger.members().connectAll(group);
        messenger.await(new Connected(group));
        MemorySegment offers = Arena.ofAuto().allocate((long) ranks.size() * WindowTarget.OFFER_BYTES, 8);
        MemorySegment offered = Arena.ofAuto().allocate(offers.byteSize(), 8);
        for (int i = 0; i < targets.length; i++) {
            if (i != ranks.rank()) {
                Peer peer = messenger.peer(group.world(i));
                if (!peer.gone.isEmpty()) {
                    throw lost(peer.gone);
                }
                WindowTarget target = new WindowTarget(messenger, peer, memory, control);
                targets[i] = target;
                target.writeOffer(offers, (long) i * WindowTarget.OFFER_BYTES);
            }
        }
        messenger.accesses().add(whenGone);
        ranks.collectives().alltoall(offers, offered);
        for (int i = 0; i < targets.length; i++) {
            WindowTarget target = targets[i];
            if (target != null) {
                target.readOffer(offered, (long) i * WindowTarget.OFFER_BYTES);
            }
        }
        return this;
    }

    private MessagingException lost(String sentence) {
        List<Integer> died = messenger.failures().died();
        return died.isEmpty() ? new MessagingException(sentence) : new RankFailedException(sentence, died);
    }

    /** Waits until a channel to each rank is open or the rank is gone. */
    private final class Connected implements Awaited {
        private final Group group;

        Connected(Group group) {
            this.group = group;
        }

        private Optional<Peer> missing() {
            for (int i = 0; i < group.size(); i++) {
                Peer peer = messenger.peer(group.world(i));
                Channel channel = peer.channel;
                if (i != ranks.rank() && peer.gone.isEmpty() && (channel == null || !channel.open())) {
                    return Optional.of(peer);
                }
            }
            return Optional.empty();
        }

        @Override
        public boolean isDone() {
            return missing().isEmpty();
        }

        @Override
        public void checkBounds(long startNs) {
            Optional<Peer> missing = missing();
            if (missing.isPresent() && messenger.waiter().timedOut(startNs)) {
                throw new MessagingException("No window could be created: there was no connection to rank "
                        + missing.get().rank() + " in time.");
            }
        }
    }

    // What the parts of a window need of each other; the caller has entered the guard.

    /** What belongs to another rank; null for this one. */
    @Nullable
    WindowTarget target(int rank) {
        return targets[Objects.checkIndex(rank, targets.length)];
    }

    MemorySegment memory() {
        return memory;
    }

    MemorySegment control() {
        return control;
    }

    void start(RemoteAccess access) {
        messenger.accesses().start(access);
    }

    /** Waits until all accesses to a rank have ended. */
    void complete(WindowTarget target) {
        messenger.await(target);
        target.check();
    }

    /** Executes an atomic operation after all accesses to the rank that were started before; returns the value of the word before. */
    long atomic(WindowTarget target, RemoteAccess access) {
        target.check();
        target.takeWritten(); // an atomic operation is executed after the Writes before it have been placed
        messenger.accesses().start(access);
        boolean interrupted = false;
        try {
            while (!target.isDone()) {
                try {
                    messenger.await(target);
                } catch (MessagingException e) {
                    if (!Thread.interrupted()) {
                        throw e;
                    }
                    interrupted = true; // the operation is executed: its result must not be lost
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        target.check();
        return target.result();
    }

    void startPut(WindowTarget target, MemorySegment from, long offset, long bytes, long at) {
        start(target.toMemory(RemoteAccess.Kind.WRITE, at).over(from, offset, bytes));
    }

    void startGet(WindowTarget target, MemorySegment into, long offset, long bytes, long at) {
        start(target.toMemory(RemoteAccess.Kind.READ, at).over(into, offset, bytes));
    }

    void placed(WindowTarget target) {
        if (target.takeWritten()) { // a Read is executed after the Writes before it have been placed
            start(target.toControl(RemoteAccess.Kind.READ, WindowLocks.UNUSED_AT)
                    .over(target.scratch(), 0, Long.BYTES));
        }
        complete(target);
    }

    private void check(int rank, long at, long bytes) {
        if (closed) {
            throw new IllegalStateException("the window is closed");
        }
        if (rank < 0 || rank >= targets.length) {
            throw new IllegalArgumentException("ranks are 0 to " + (targets.length - 1) + ", not " + rank);
        }
        WindowTarget target = targets[rank];
        long length = target == null ? memory.byteSize() : target.lengthBytes();
        if (at < 0 || bytes < 0 || at > length - bytes) {
            throw new IllegalArgumentException("bytes " + at + " to " + (at + bytes) + " are not in the window of rank "
                    + rank + ", which has " + length);
        }
    }

    // Accesses.

    /** Bytes of the window of a rank. */
    public long lengthBytes(int rank) {
        WindowTarget target = target(rank);
        return target == null ? memory.byteSize() : target.lengthBytes();
    }

    /** Starts to write a buffer to the window of a rank (MPI_Put). */
    public void put(MemorySegment from, int rank, long at) {
        check(rank, at, from.byteSize());
        WindowTarget target = targets[rank];
        if (target == null) {
            MemorySegment.copy(from, 0, memory, at, from.byteSize());
        } else if (from.byteSize() > 0) {
            ranks.guarded(() -> startPut(target, from, 0, from.byteSize(), at));
        }
    }

    /** Starts to read a part of the window of a rank into a buffer (MPI_Get). */
    public void get(MemorySegment into, int rank, long at) {
        check(rank, at, into.byteSize());
        WindowTarget target = targets[rank];
        if (target == null) {
            MemorySegment.copy(memory, at, into, 0, into.byteSize());
        } else if (into.byteSize() > 0) {
            ranks.guarded(() -> startGet(target, into, 0, into.byteSize(), at));
        }
    }

    /** Waits until all puts to a rank are in its window and all gets from it have arrived (MPI_Win_flush). */
    public void flush(int rank) {
        check(rank, 0, 0);
        WindowTarget target = targets[rank];
        if (target != null) {
            ranks.guarded(() -> placed(target));
        }
    }

    /** Waits for the accesses to all ranks (MPI_Win_flush_all). If some have failed, the others are complete all the same. */
    public void flushAll() {
        MessagingException failure = null;
        for (int i = 0; i < targets.length; i++) {
            try {
                flush(i);
            } catch (MessagingException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    // Accumulating calls.

    /** Combines elements with those in the window of a rank (MPI_Accumulate): {@code window = origin op window}. */
    public void accumulate(MemorySegment origin, int rank, long at, ElementType type, Reduction reduction) {
        check(rank, at, origin.byteSize());
        ranks.guarded(() -> updates.combine(origin, MemorySegment.NULL, rank, at, type, reduction));
    }

    /** The same; a buffer gets the elements of the window before (MPI_Get_accumulate). It must not overlap the origin. */
    public void fetchAndAccumulate(
            MemorySegment origin, MemorySegment before, int rank, long at, ElementType type, Reduction reduction) {
        check(rank, at, origin.byteSize());
        if (before.byteSize() < origin.byteSize()) {
            throw new IllegalArgumentException("the buffer for the elements before must have " + origin.byteSize()
                    + " bytes, not " + before.byteSize());
        }
        ranks.guarded(() -> updates.combine(origin, before, rank, at, type, reduction));
    }

    /** Replaces one element of the window if it equals another one; a buffer gets the element before (MPI_Compare_and_swap). */
    public void compareAndSwap(
            MemorySegment origin, MemorySegment expected, MemorySegment before, int rank, long at, ElementType type) {
        int bytes = type.bytes();
        check(rank, at, bytes);
        if (origin.byteSize() < bytes || expected.byteSize() < bytes || before.byteSize() < bytes) {
            throw new IllegalArgumentException("the buffers must have an element of " + bytes + " bytes");
        }
        ranks.guarded(() -> updates.compareAndSwap(origin, expected, before, rank, at, type));
    }

    // Locks.

    /**
     * Waits for the lock of the window of a rank (MPI_Win_lock).
     *
     * @param exclusive whether no other rank may hold the lock; otherwise several ranks may share it
     * @throws RankFailedException if a rank of the window has died and the lock is not free
     */
    public void lock(int rank, boolean exclusive) {
        check(rank, 0, 0);
        ranks.guarded(() -> locks.lock(rank, exclusive));
    }

    /** Shares the locks of all ranks (MPI_Win_lock_all). */
    public void lockAll() {
        for (int i = 0; i < targets.length; i++) {
            lock(i, false);
        }
    }

    /** Completes all accesses to a rank and releases its lock (MPI_Win_unlock). */
    public void unlock(int rank) {
        check(rank, 0, 0);
        ranks.guarded(() -> locks.unlock(rank));
    }

    /** Completes all accesses and releases the locks of all ranks (MPI_Win_unlock_all); those of dead ranks too. */
    public void unlockAll() {
        MessagingException failure = null;
        for (int i = 0; i < targets.length; i++) {
            try {
                unlock(i);
            } catch (MessagingException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    // End.

    /** The connection to a rank has ended. */
    private void gone(Peer peer, String sentence, List<Integer> died) {
        for (WindowTarget target : targets) {
            if (target != null && target.peer() == peer) {
                target.gone(sentence, died);
            }
        }
    }

    /** All ranks close the window (MPI_Win_free). The memory stays with the program. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            flushEach();
            ranks.barrier();
        } catch (MessagingException e) {
            // A rank is gone: it was reported by the accesses to it.
        } finally {
            ranks.guarded(() -> {
                messenger.accesses().remove(whenGone);
                for (WindowTarget target : targets) {
                    if (target != null) {
                        target.close();
                    }
                }
            });
        }
    }

    private void flushEach() {
        ranks.guarded(() -> {
            for (WindowTarget target : targets) {
                if (target != null) {
                    placed(target);
                }
            }
        });
    }
}
