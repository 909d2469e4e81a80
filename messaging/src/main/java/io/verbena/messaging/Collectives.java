package io.verbena.messaging;

import io.verbena.messaging.collective.Blocks;
import io.verbena.messaging.collective.Call;
import io.verbena.messaging.collective.CollectiveKind;
import io.verbena.messaging.collective.Combining;
import io.verbena.messaging.collective.ElementType;
import io.verbena.messaging.collective.Reduction;
import java.lang.foreign.MemorySegment;

/**
 * The collective operations of a communicator. All its ranks call the same operations in the same order, with the same root, length, type and
 * reduction. What a call returns depends on where the object is from: {@link Communicator#collectives} waits, {@link Communicator#nonBlocking}
 * returns a request, {@link Communicator#persistent} an operation that can be started many times.
 *
 * <p>Lengths are those of the segments. A rank whose contribution is already in the buffer of the result passes {@link #IN_PLACE} as the buffer that
 * is sent (in scatter, the root passes it as the buffer that is received into).
 *
 * <p>If a rank dies, all ranks leave all collective operations with a {@link RankFailedException}. Ranks that call different operations are
 * detected, and the exceptions name them. After either no collective operation of the communicator is possible any more.
 *
 * @param <R> what a call returns
 */
public final class Collectives<R> {

    /** The contribution of this rank is in the buffer of the result (MPI_IN_PLACE). */
    public static final MemorySegment IN_PLACE =
            MemorySegment.ofArray(new byte[1]).asReadOnly();

    /** Executes, starts or prepares a call. */
    interface Execution<R> {
        R apply(Call call, MemorySegment send, MemorySegment receive);
    }

    private static final MemorySegment NOTHING = MemorySegment.NULL;

    private final int rank;
    private final int size;
    private final Execution<R> execution;

    Collectives(int rank, int size, Execution<R> execution) {
        this.rank = rank;
        this.size = size;
        this.execution = execution;
    }

    /** Returns when all ranks have called it (MPI_Barrier). */
    public R barrier() {
        return execution.apply(Call.BARRIER, NOTHING, NOTHING);
    }

    /** Copies the bytes of the root to the buffers of all ranks (MPI_Bcast). */
    public R bcast(MemorySegment buffer, int root) {
        checkRoot(root);
        if (rank != root) {
            checkWritable(buffer);
        }
        return execution.apply(
                plain(CollectiveKind.BCAST, root, false, Call.Volume.of(buffer.byteSize())), NOTHING, buffer);
    }

    // Reductions.

    /** Combines the vectors of all ranks; the root gets the result (MPI_Reduce). The other ranks may pass any buffer to receive into. */
    public R reduce(MemorySegment send, MemorySegment receive, ElementType type, Reduction reduction, int root) {
        checkRoot(root);
        MemorySegment result = rank == root ? receive : NOTHING;
        return reduction(CollectiveKind.REDUCE, send, result, rank == root, root, new Combining(type, reduction));
    }

    /** Combines the vectors of all ranks; all get the result (MPI_Allreduce). */
    public R allreduce(MemorySegment send, MemorySegment receive, ElementType type, Reduction reduction) {
        return reduction(CollectiveKind.ALLREDUCE, send, receive, true, 0, new Combining(type, reduction));
    }

    /** Combines the vectors of the ranks up to each rank (MPI_Scan). */
    public R scan(MemorySegment send, MemorySegment receive, ElementType type, Reduction reduction) {
        return reduction(CollectiveKind.SCAN, send, receive, true, 0, new Combining(type, reduction));
    }

    /** Combines the vectors of the ranks before each rank; the buffer of rank 0 stays as it is (MPI_Exscan). */
    public R exscan(MemorySegment send, MemorySegment receive, ElementType type, Reduction reduction) {
        return reduction(CollectiveKind.EXSCAN, send, receive, true, 0, new Combining(type, reduction));
    }

    /** Combines the vectors of all ranks; each gets the part of its own number (MPI_Reduce_scatter). */
    public R reduceScatter(
            MemorySegment send, MemorySegment receive, Blocks parts, ElementType type, Reduction reduction) {
        boolean inPlace = inPlace(send);
        checkBlocks(parts, send, inPlace ? parts.total() : 0);
        long own = parts.length(rank);
        checkBuffers(inPlace, send, parts.total(), receive, inPlace ? parts.total() : own);
        Combining combining = new Combining(type, reduction);
        checkType(combining, parts.total());
        Call.Volume volume = new Call.Volume(parts.total(), Blocks.NONE, parts);
        return execution.apply(
                new Call(CollectiveKind.REDUCE_SCATTER, 0, inPlace, volume, combining), sent(inPlace, send), receive);
    }

    private R reduction(
            CollectiveKind kind,
            MemorySegment send,
            MemorySegment receive,
            boolean receives,
            int root,
            Combining combining) {
        boolean inPlace = receives && inPlace(send);
        long bytes = inPlace ? receive.byteSize() : send.byteSize();
        checkBuffers(inPlace, send, bytes, receive, receives ? bytes : 0);
        checkType(combining, bytes);
        return execution.apply(
                new Call(kind, root, inPlace, Call.Volume.of(bytes), combining), sent(inPlace, send), receive);
    }

    // Blocks.

    /** Collects a block of each rank at the root (MPI_Gather). The other ranks may pass any buffer to receive into. */
    public R gather(MemorySegment send, MemorySegment receive, int root) {
        checkRoot(root);
        boolean inPlace = rank == root && inPlace(send);
        long bytes = inPlace ? receive.byteSize() / size : send.byteSize();
        MemorySegment into = rank == root ? receive : NOTHING;
        checkBuffers(inPlace, send, bytes, into, rank == root ? bytes * size : 0);
        return execution.apply(
                plain(CollectiveKind.GATHER, root, inPlace, Call.Volume.of(bytes)), sent(inPlace, send), into);
    }

    /** Collects blocks of different lengths (MPI_Gatherv). Only the root needs to know them. */
    public R gatherv(MemorySegment send, MemorySegment receive, Blocks blocks, int root) {
        checkRoot(root);
        boolean inPlace = rank == root && inPlace(send);
        Blocks parts = rank == root ? blocks : Blocks.NONE;
        long bytes = 0;
        if (rank == root) {
            checkBlocks(parts, receive, parts.end());
            bytes = parts.length(rank);
        } else {
            bytes = send.byteSize();
        }
        checkBuffers(inPlace, send, bytes, rank == root ? receive : NOTHING, rank == root ? parts.end() : 0);
        Call.Volume volume = new Call.Volume(bytes, Blocks.NONE, parts);
        return execution.apply(
                plain(CollectiveKind.GATHERV, root, inPlace, volume),
                sent(inPlace, send),
                rank == root ? receive : NOTHING);
    }

    /** Distributes a block to each rank (MPI_Scatter). The other ranks may pass any buffer to send from. */
    public R scatter(MemorySegment send, MemorySegment receive, int root) {
        checkRoot(root);
        boolean inPlace = rank == root && inPlace(receive);
        long bytes = rank == root ? send.byteSize() / size : receive.byteSize();
        MemorySegment from = rank == root ? send : NOTHING;
        if (!inPlace) {
            checkBuffers(false, from, 0, receive, bytes);
        }
        return execution.apply(
                plain(CollectiveKind.SCATTER, root, inPlace, Call.Volume.of(bytes)), from, inPlace ? NOTHING : receive);
    }

    /** Distributes blocks of different lengths (MPI_Scatterv). Only the root needs to know them. */
    public R scatterv(MemorySegment send, Blocks blocks, MemorySegment receive, int root) {
        checkRoot(root);
        boolean inPlace = rank == root && inPlace(receive);
        Blocks parts = rank == root ? blocks : Blocks.NONE;
        if (rank == root) {
            checkBlocks(parts, send, parts.end());
        }
        long bytes = rank == root ? parts.length(rank) : receive.byteSize();
        MemorySegment from = rank == root ? send : NOTHING;
        if (!inPlace) {
            checkBuffers(false, from, 0, receive, bytes);
        }
        Call.Volume volume = new Call.Volume(bytes, parts, Blocks.NONE);
        return execution.apply(
                plain(CollectiveKind.SCATTERV, root, inPlace, volume), from, inPlace ? NOTHING : receive);
    }

    /** Collects a block of each rank at all ranks (MPI_Allgather). */
    public R allgather(MemorySegment send, MemorySegment receive) {
        boolean inPlace = inPlace(send);
        long bytes = inPlace ? receive.byteSize() / size : send.byteSize();
        checkBuffers(inPlace, send, bytes, receive, bytes * size);
        return execution.apply(
                plain(CollectiveKind.ALLGATHER, 0, inPlace, Call.Volume.of(bytes)), sent(inPlace, send), receive);
    }

    /** Collects blocks of different lengths at all ranks, which all know them (MPI_Allgatherv). */
    public R allgatherv(MemorySegment send, MemorySegment receive, Blocks blocks) {
        boolean inPlace = inPlace(send);
        checkBlocks(blocks, receive, blocks.end());
        checkBuffers(inPlace, send, blocks.length(rank), receive, blocks.end());
        Call.Volume volume = new Call.Volume(blocks.total(), Blocks.NONE, blocks);
        return execution.apply(plain(CollectiveKind.ALLGATHERV, 0, inPlace, volume), sent(inPlace, send), receive);
    }

    /** Sends a block to each rank and receives one from each (MPI_Alltoall). */
    public R alltoall(MemorySegment send, MemorySegment receive) {
        boolean inPlace = inPlace(send);
        long bytes = (inPlace ? receive : send).byteSize() / size;
        checkBuffers(inPlace, send, bytes * size, receive, bytes * size);
        return execution.apply(
                plain(CollectiveKind.ALLTOALL, 0, inPlace, Call.Volume.of(bytes)), sent(inPlace, send), receive);
    }

    /** Sends a block to each rank and receives one from each, of different lengths (MPI_Alltoallv). */
    public R alltoallv(MemorySegment send, Blocks sent, MemorySegment receive, Blocks received) {
        boolean inPlace = inPlace(send);
        if (!inPlace) {
            checkBlocks(sent, send, sent.end());
        }
        checkBlocks(received, receive, received.end());
        checkBuffers(inPlace, send, 0, receive, received.end());
        Call.Volume volume = new Call.Volume(0, inPlace ? Blocks.NONE : sent, received);
        return execution.apply(plain(CollectiveKind.ALLTOALLV, 0, inPlace, volume), sent(inPlace, send), receive);
    }

    private static Call plain(CollectiveKind kind, int root, boolean inPlace, Call.Volume volume) {
        return new Call(kind, root, inPlace, volume, Combining.NONE);
    }

    // Arguments.

    private static boolean inPlace(MemorySegment buffer) {
        return buffer.equals(IN_PLACE);
    }

    private static MemorySegment sent(boolean inPlace, MemorySegment send) {
        return inPlace ? NOTHING : send;
    }

    private void checkRoot(int root) {
        if (root < 0 || root >= size) {
            throw new IllegalArgumentException("ranks are 0 to " + (size - 1) + ", not " + root);
        }
    }

    private void checkBlocks(Blocks blocks, MemorySegment buffer, long needed) {
        if (blocks.count() != size) {
            throw new IllegalArgumentException(
                    "there must be " + size + " blocks, one for each rank, not " + blocks.count());
        }
        if (buffer.byteSize() < needed) {
            throw new IllegalArgumentException(
                    "the blocks end at byte " + needed + " of a buffer of " + buffer.byteSize() + " bytes");
        }
    }

    private static void checkType(Combining combining, long bytes) {
        ElementType type = combining.type();
        if (!combining.reduction().accepts(type)) {
            throw new IllegalArgumentException(
                    combining.reduction().title() + " does not combine elements of the type " + type);
        }
        if (bytes % type.bytes() != 0) {
            throw new IllegalArgumentException(bytes + " bytes are no whole number of elements of the type " + type);
        }
    }

    private static void checkBuffers(
            boolean inPlace, MemorySegment send, long sendBytes, MemorySegment receive, long receiveBytes) {
        if (receiveBytes > 0) {
            checkWritable(receive);
        }
        if (receive.byteSize() < receiveBytes) {
            throw new IllegalArgumentException(
                    "the buffer to receive into must have " + receiveBytes + " bytes, not " + receive.byteSize());
        }
        if (inPlace) {
            return;
        }
        if (send.byteSize() < sendBytes) {
            throw new IllegalArgumentException(
                    "the buffer to send from must have " + sendBytes + " bytes, not " + send.byteSize());
        }
        if (receiveBytes > 0 && send.asOverlappingSlice(receive).isPresent()) {
            throw new IllegalArgumentException(
                    "the buffers to send from and to receive into overlap: pass Collectives.IN_PLACE instead");
        }
    }

    private static void checkWritable(MemorySegment buffer) {
        if (buffer.isReadOnly()) {
            throw new IllegalArgumentException("the buffer to receive into must be writable");
        }
    }
}
