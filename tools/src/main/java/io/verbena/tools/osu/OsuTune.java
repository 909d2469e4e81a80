package io.verbena.tools.osu;

import io.verbena.messaging.Collectives;
import io.verbena.messaging.Communicator;
import io.verbena.messaging.collective.AlgorithmTable;
import io.verbena.messaging.collective.ElementType;
import io.verbena.messaging.collective.PredefinedReduction;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Locale;
import java.util.function.IntConsumer;
import java.util.function.LongFunction;

/**
 * Measures from which length on each algorithm is the faster one, and prints the thresholds of an
 * {@link AlgorithmTable}.
 */
final class OsuTune {

    static final String WORD = "tune";

    private static final long NEVER = Long.MAX_VALUE;
    private static final int LARGEST = 4 << 20;
    private static final int LARGEST_BLOCK = 64 << 10;
    private static final int SMALLEST = 64;
    private static final long LARGEST_PIECE = 512 << 10;
    private static final long SMALLEST_PIECE = 32 << 10;

    private interface Operation {
        void run(Collectives<Communicator> calls, long bytes);
    }

    private final Communicator world;
    private final int ranks;
    private final int iterations;
    private final MemorySegment from;
    private final MemorySegment into;

    OsuTune(Communicator world, int iterations, LongFunction<MemorySegment> memory) {
        this.world = world;
        ranks = world.size();
        this.iterations = iterations == OsuRank.BY_SIZE ? 200 : iterations;
        long most = Math.max(LARGEST, (long) LARGEST_BLOCK * world.size());
        from = memory.apply(most);
        into = memory.apply(most);
    }

    void run(PrintStream out) {
        out.println("# thresholds of the algorithms, " + world.size() + " ranks");
        out.println("# " + String.format(Locale.ROOT, "%-22s%14s%14s", "Threshold", "Measured", "Default"));
        AlgorithmTable standard = AlgorithmTable.DEFAULT;
        Operation bcast = (calls, bytes) -> calls.bcast(into.asSlice(0, bytes), 0);
        Operation allreduce = (calls, bytes) -> calls.allreduce(
                from.asSlice(0, bytes), into.asSlice(0, bytes), ElementType.FLOAT, PredefinedReduction.SUM);
        AlgorithmTable large = table(0, 0, 0, 0, 0, 0);
        AlgorithmTable withoutRing = table(0, 0, NEVER, 0, 0, 0);
        AlgorithmTable doubling = table(0, NEVER, NEVER, 0, 0, 0);
        from(out, "broadcastRingBytes", standard.broadcastRingBytes(), bcast, table(NEVER, 0, 0, 0, 0, 0), large);
        from(out, "rabenseifnerBytes", standard.rabenseifnerBytes(), allreduce, doubling, withoutRing);
        from(out, "ringBytes", standard.ringBytes(), allreduce, withoutRing, large);
        pieces(out, standard.pieceBytes(), bcast, table(NEVER, 0, 0, 0, 0, 0));
        Operation gather = (calls, bytes) -> calls.gather(from.asSlice(0, bytes), into.asSlice(0, bytes * ranks), 0);
        Operation allgather = (calls, bytes) -> calls.allgather(from.asSlice(0, bytes), into.asSlice(0, bytes * ranks));
        Operation alltoall =
                (calls, bytes) -> calls.alltoall(from.asSlice(0, bytes * ranks), into.asSlice(0, bytes * ranks));
        upTo(out, "treeBlockBytes", standard.treeBlockBytes(), gather, table(0, 0, 0, NEVER, 0, 0));
        upTo(out, "bruckAllgatherBytes", standard.bruckAllgatherBytes(), allgather, table(0, 0, 0, 0, NEVER, 0));
        upTo(out, "bruckAlltoallBytes", standard.bruckAlltoallBytes(), alltoall, table(0, 0, 0, 0, 0, NEVER));
    }

    /** A threshold from which on long vectors use another algorithm; each table uses one of the two for all. */
    private void from(
            PrintStream out,
            String name,
            long standard,
            Operation operation,
            AlgorithmTable small,
            AlgorithmTable large) {
        long found = crossing(LARGEST, operation, small, large);
        print(out, name, found == NEVER ? "never" : String.valueOf(found), standard);
    }

    /** A threshold up to which short blocks use another algorithm. */
    private void upTo(PrintStream out, String name, long standard, Operation operation, AlgorithmTable small) {
        long found = crossing(LARGEST_BLOCK, operation, small, table(0, 0, 0, 0, 0, 0));
        print(out, name, found == NEVER ? "always" : String.valueOf(found / 2), standard);
    }

    /** The length of pieces with which a long vector takes the shortest time. */
    private void pieces(PrintStream out, long standard, Operation operation, AlgorithmTable base) {
        long best = AlgorithmTable.WHOLE;
        double least = Double.MAX_VALUE;
        for (long bytes = AlgorithmTable.WHOLE;
                bytes >= SMALLEST_PIECE;
                bytes = bytes == AlgorithmTable.WHOLE ? LARGEST_PIECE : bytes / 2) {
            AlgorithmTable table = base.withPieceBytes(bytes);
            warmUp(operation, LARGEST, table);
            double micros = micros(operation, LARGEST, table);
            if (micros < least) {
                least = micros;
                best = bytes;
            }
        }
        world.algorithms(AlgorithmTable.DEFAULT);
        print(out, "pieceBytes", best == AlgorithmTable.WHOLE ? "whole" : String.valueOf(best), standard);
    }

    private static AlgorithmTable table(long ring, long rabenseifner, long bigRing, long tree, long gather, long all) {
        return new AlgorithmTable(ring, rabenseifner, bigRing, AlgorithmTable.DEFAULT.pieceBytes(), tree, gather, all);
    }

    private static void print(PrintStream out, String name, String measured, long standard) {
        out.println("  " + String.format(Locale.ROOT, "%-22s%14s%14d", name, measured, standard));
    }

    /**
     * The smallest length from which on the second table is not slower; {@link #NEVER} if the first one is faster for
     * the largest.
     */
    private long crossing(int largest, Operation operation, AlgorithmTable small, AlgorithmTable large) {
        warmUp(operation, SMALLEST, small, large);
        warmUp(operation, largest, small, large);
        long found = NEVER;
        for (long bytes = largest; bytes >= SMALLEST; bytes /= 2) {
            if (micros(operation, bytes, large) > micros(operation, bytes, small)) {
                break;
            }
            found = bytes;
        }
        world.algorithms(AlgorithmTable.DEFAULT);
        return found;
    }

    /** Lets the JVM compile both: otherwise the one that is measured first is slower. */
    private void warmUp(Operation operation, long bytes, AlgorithmTable... tables) {
        for (AlgorithmTable table : tables) {
            world.algorithms(table);
            Collectives<Communicator> calls = world.collectives();
            IntConsumer loop = count -> {
                for (int i = 0; i < count; i++) {
                    operation.run(calls, bytes);
                }
            };
            new OsuWarmUp(world, loop).run(OsuWarmUp.UNTIL_STEADY);
        }
    }

    /** The same at all ranks: the sum over them. */
    private double micros(Operation operation, long bytes, AlgorithmTable table) {
        world.algorithms(table);
        Collectives<Communicator> calls = world.collectives();
        int count = bytes > LARGEST_BLOCK ? Math.max(1, iterations / 10) : iterations;
        long ns = 0;
        for (int i = -count / 4; i < count; i++) {
            world.barrier();
            long startNs = System.nanoTime();
            operation.run(calls, bytes);
            ns += i < 0 ? 0 : System.nanoTime() - startNs;
        }
        MemorySegment sum = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG, 1);
        sum.set(ValueLayout.JAVA_LONG, 0, ns);
        calls.allreduce(Collectives.IN_PLACE, sum, ElementType.LONG, PredefinedReduction.SUM);
        return sum.get(ValueLayout.JAVA_LONG, 0) / 1e3 / count;
    }
}
