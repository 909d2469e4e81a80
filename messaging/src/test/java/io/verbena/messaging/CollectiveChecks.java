package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.messaging.collective.Blocks;
import io.verbena.messaging.collective.ElementType;
import io.verbena.messaging.collective.PredefinedReduction;
import io.verbena.messaging.collective.Reduction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Each collective operation once, on vectors of ints whose results are known; every rank calls the same method. */
final class CollectiveChecks {

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;

    /** Keeps the operand of the higher rank: the result shows the order. */
    private static final Reduction LAST = Reduction.of((in, inout, type) -> {}, false);

    private final Communicator world;
    private final int rank;
    private final int size;

    CollectiveChecks(Communicator world) {
        this.world = world;
        rank = world.rank();
        size = world.size();
    }

    private static int value(int of, int index) {
        return of * 1_000_003 + index * 31;
    }

    private static MemorySegment memory(int ints) {
        return Arena.ofAuto().allocate(INT, Math.max(1, ints)).asSlice(0, 4L * ints);
    }

    private static MemorySegment vector(int of, int ints, int from) {
        MemorySegment vector = memory(ints);
        for (int i = 0; i < ints; i++) {
            vector.setAtIndex(INT, i, value(of, from + i));
        }
        return vector;
    }

    private static void expect(MemorySegment found, int offset, int of, int ints, int from) {
        for (int i = 0; i < ints; i++) {
            if (found.getAtIndex(INT, offset + i) != value(of, from + i)) {
                assertEquals(value(of, from + i), found.getAtIndex(INT, offset + i), "element " + i);
            }
        }
    }

    private static void expectSum(MemorySegment found, int ranks, int ints, int from) {
        for (int i = 0; i < ints; i++) {
            int sum = 0;
            for (int of = 0; of < ranks; of++) {
                sum += value(of, from + i);
            }
            if (found.getAtIndex(INT, i) != sum) {
                assertEquals(sum, found.getAtIndex(INT, i), "element " + i);
            }
        }
    }

    /** All operations with vectors or blocks of this many ints. */
    void all(int ints, int root) {
        Collectives<Communicator> calls = world.collectives();
        calls.barrier();
        broadcasts(calls, ints, root);
        reductions(calls, ints, root);
        blocks(calls, ints, root);
        vectors(calls, ints, root);
    }

    private void broadcasts(Collectives<Communicator> calls, int ints, int root) {
        MemorySegment buffer = rank == root ? vector(root, ints, 0) : memory(ints);
        calls.bcast(buffer, root);
        expect(buffer, 0, root, ints, 0);
    }

    private void reductions(Collectives<Communicator> calls, int ints, int root) {
        PredefinedReduction sum = PredefinedReduction.SUM;
        MemorySegment own = vector(rank, ints, 0);
        MemorySegment result = memory(ints);
        calls.reduce(own, rank == root ? result : MemorySegment.NULL, ElementType.INT, sum, root);
        if (rank == root) {
            expectSum(result, size, ints, 0);
        }
        calls.reduce(own, result, ElementType.INT, LAST, root);
        if (rank == root) {
            expect(result, 0, size - 1, ints, 0);
        }
        calls.allreduce(own, result, ElementType.INT, sum);
        expectSum(result, size, ints, 0);
        calls.allreduce(own, result, ElementType.INT, LAST);
        expect(result, 0, size - 1, ints, 0);
        result.copyFrom(own);
        calls.allreduce(Collectives.IN_PLACE, result, ElementType.INT, sum);
        expectSum(result, size, ints, 0);
        calls.scan(own, result, ElementType.INT, sum);
        expectSum(result, rank + 1, ints, 0);
        calls.exscan(own, result, ElementType.INT, sum);
        expectSum(result, rank == 0 ? 1 : rank, rank == 0 ? 0 : ints, 0);
        expect(own, 0, rank, ints, 0);
        long[] lengths = new long[size];
        for (int i = 0; i < size; i++) {
            lengths[i] = i % 2 == 0 ? 4L * ints : 0;
        }
        Blocks parts = Blocks.of(lengths);
        int total = (int) (parts.total() / 4);
        MemorySegment part = memory((int) (parts.length(rank) / 4));
        calls.reduceScatter(vector(rank, total, 0), part, parts, ElementType.INT, sum);
        expectSum(part, size, (int) (part.byteSize() / 4), (int) (parts.offset(rank) / 4));
    }

    private void blocks(Collectives<Communicator> calls, int ints, int root) {
        MemorySegment own = vector(rank, ints, 0);
        MemorySegment all = memory(ints * size);
        calls.gather(own, all, root);
        for (int i = 0; rank == root && i < size; i++) {
            expect(all, ints * i, i, ints, 0);
        }
        MemorySegment block = memory(ints);
        calls.scatter(rank == root ? vector(root, ints * size, 0) : MemorySegment.NULL, block, root);
        expect(block, 0, root, ints, ints * rank);
        MemorySegment everything = memory(ints * size);
        calls.allgather(own, everything);
        for (int i = 0; i < size; i++) {
            expect(everything, ints * i, i, ints, 0);
        }
        MemorySegment exchanged = memory(ints * size);
        calls.alltoall(vector(rank, ints * size, 0), exchanged);
        for (int i = 0; i < size; i++) {
            expect(exchanged, ints * i, i, ints, ints * rank);
        }
        MemorySegment inPlace = vector(rank, ints * size, 0);
        calls.alltoall(Collectives.IN_PLACE, inPlace);
        assertEquals(-1, inPlace.mismatch(exchanged));
    }

    /** Blocks whose lengths depend on the rank; some are empty. */
    private void vectors(Collectives<Communicator> calls, int ints, int root) {
        long[] lengths = new long[size];
        for (int i = 0; i < size; i++) {
            lengths[i] = 4L * ints * (i % 3);
        }
        Blocks parts = Blocks.of(lengths);
        int own = (int) (lengths[rank] / 4);
        MemorySegment all = memory((int) (parts.total() / 4));
        calls.gatherv(vector(rank, own, 0), all, parts, root);
        expectParts(rank == root ? size : 0, parts, all);
        MemorySegment part = memory(own);
        calls.scatterv(all, parts, part, root);
        expect(part, 0, rank, own, 0);
        MemorySegment everything = memory((int) (parts.total() / 4));
        calls.allgatherv(vector(rank, own, 0), everything, parts);
        expectParts(size, parts, everything);
        long[] sent = new long[size];
        for (int i = 0; i < size; i++) {
            sent[i] = lengths[rank];
        }
        MemorySegment row = vector(rank, own * size, 0);
        calls.alltoallv(row, Blocks.of(sent), all, parts);
        for (int i = 0; i < size; i++) {
            int length = (int) (lengths[i] / 4);
            expect(all, (int) (parts.offset(i) / 4), i, length, length * rank);
        }
    }

    private void expectParts(int ranks, Blocks parts, MemorySegment found) {
        for (int i = 0; i < ranks; i++) {
            expect(found, (int) (parts.offset(i) / 4), i, (int) (parts.length(i) / 4), 0);
        }
    }
}
