package io.verbena.messaging.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.IntFunction;
import java.util.function.LongBinaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every schedule, for 1 to 65 ranks and all roots, on symbols: each rank ends with exactly the right contributions. */
class SchedulesTest {

    /** Short, so that short vectors have several pieces. */
    private static final int PIECE_BYTES = 64;

    private static final int MOST_RANKS = 65;

    /** Sums of random numbers: which contributions a result has, and how many times. */
    private static final LongBinaryOperator SUM = Long::sum;

    /** Compositions of affine functions over 32 bits: also in which order. */
    private static final LongBinaryOperator COMPOSED = SchedulesTest::composed;

    private static final Reduction ORDERED = Reduction.of((in, inout, type) -> {}, false);

    private static long composed(long outer, long inner) {
        int factor = (int) (outer >>> 32) * (int) (inner >>> 32);
        int offset = (int) (outer >>> 32) * (int) inner + (int) outer;
        return (long) factor << 32 | offset & 0xffff_ffffL;
    }

    /** The contribution of a rank at an index. */
    private static long symbol(int rank, int index) {
        long mixed = (rank * 1_000_003L + index + 1) * 0x9E37_79B9_7F4A_7C15L;
        mixed = (mixed ^ mixed >>> 31) * 0xBF58_476D_1CE4_E5B9L;
        return mixed ^ mixed >>> 29 | 1L << 32; // an odd factor
    }

    private static long combined(LongBinaryOperator operator, int from, int to, int index) {
        long all = symbol(from, index);
        for (int rank = from + 1; rank < to; rank++) {
            all = operator.applyAsLong(all, symbol(rank, index));
        }
        return all;
    }

    private static Call call(CollectiveKind kind, int root, boolean inPlace, Call.Volume volume, Reduction reduction) {
        return new Call(kind, root, inPlace, volume, new Combining(ElementType.BYTE, reduction));
    }

    private static void fill(long[] buffer, int offset, int bytes, int rank, int from) {
        for (int i = 0; i < bytes; i++) {
            buffer[offset + i] = symbol(rank, from + i);
        }
    }

    private static void expect(long[] buffer, int offset, int bytes, int rank, int from) {
        for (int i = 0; i < bytes; i++) {
            if (buffer[offset + i] != symbol(rank, from + i)) {
                throw new AssertionError("byte " + i + " at " + offset + " is not that of rank " + rank);
            }
        }
    }

    /** One case: what it runs, what its ranks have before it, and what they must have after it. */
    private record Case(int size, int root, boolean inPlace) {
        @Override
        public String toString() {
            return size + " ranks, root " + root + (inPlace ? ", in place" : "");
        }
    }

    private interface Body {
        void run(Case one);
    }

    private static void each(boolean rooted, boolean inPlaceToo, Body body) {
        for (int size = 1; size <= MOST_RANKS; size++) {
            for (int root = 0; root < (rooted ? size : 1); root++) {
                for (int k = 0; k < (inPlaceToo ? 2 : 1); k++) {
                    Case one = new Case(size, root, k == 1);
                    try {
                        body.run(one);
                    } catch (RuntimeException | AssertionError e) {
                        throw new AssertionError(one + ": " + e.getMessage(), e);
                    }
                }
            }
        }
    }

    private static SymbolicRun start(Case one, LongBinaryOperator operator, Algorithm algorithm, IntFunction<Call> of) {
        return new SymbolicRun(
                one.size(),
                operator,
                rank -> Schedules.compile(of.apply(rank), algorithm, rank, one.size(), PIECE_BYTES));
    }

    @Test
    void barrier_everyRankHeardFromAll() {
        // A rank may leave step k only after 2^k ranks have entered: shown by what a message would carry.
        each(false, false, one -> {
            SymbolicRun run = start(
                    one,
                    SUM,
                    Algorithm.DISSEMINATION,
                    rank -> call(CollectiveKind.BARRIER, 0, false, Call.Volume.of(0), PredefinedReduction.BOR));
            run.run();
            int heard = 1;
            Schedule schedule = Schedules.compile(
                    call(CollectiveKind.BARRIER, 0, false, Call.Volume.of(0), PredefinedReduction.BOR),
                    Algorithm.DISSEMINATION,
                    0,
                    one.size(),
                    PIECE_BYTES);
            for (int step = 0; step < schedule.size(); step++) {
                if (schedule.code(step) == Schedule.RECEIVE) {
                    assertTrue(Math.floorMod(-schedule.peer(step), one.size()) <= heard, "no rank is left out");
                    heard *= 2;
                }
            }
            assertTrue(heard >= one.size());
        });
    }

    @ParameterizedTest
    @CsvSource({"BINOMIAL,5", "BINOMIAL,0", "BINOMIAL,64", "BINOMIAL,700", "SCATTER_RING,1", "SCATTER_RING,700"})
    void broadcast_everyRankHasTheVectorOfTheRoot(Algorithm algorithm, int bytes) {
        each(true, false, one -> {
            SymbolicRun run = start(
                    one,
                    SUM,
                    algorithm,
                    rank -> call(
                            CollectiveKind.BCAST, one.root(), false, Call.Volume.of(bytes), PredefinedReduction.BOR));
            for (int i = 0; i < one.size(); i++) {
                long[] buffer = run.receiveBuffer(i, bytes);
                fill(buffer, 0, i == one.root() ? bytes : 0, i, 0);
            }
            run.run();
            for (int i = 0; i < one.size(); i++) {
                expect(run.result(i), 0, bytes, one.root(), 0);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void reduce_rootHasEachContributionOnceAndInOrder(boolean commutative) {
        int bytes = 3;
        LongBinaryOperator operator = commutative ? SUM : COMPOSED;
        each(true, true, one -> {
            SymbolicRun run = start(
                    one,
                    operator,
                    Algorithm.BINOMIAL,
                    rank -> call(
                            CollectiveKind.REDUCE,
                            one.root(),
                            one.inPlace() && rank == one.root(),
                            Call.Volume.of(bytes),
                            commutative ? PredefinedReduction.SUM : ORDERED));
            contribute(run, one, bytes, rank -> one.inPlace() && rank == one.root(), rank -> rank == one.root());
            run.run();
            reduced(run.result(one.root()), 0, bytes, operator, one.size(), 0);
        });
    }

    private interface Which {
        boolean test(int rank);
    }

    private static void contribute(SymbolicRun run, Case one, int bytes, Which inPlace, Which receives) {
        for (int i = 0; i < one.size(); i++) {
            long[] result = run.receiveBuffer(i, receives.test(i) ? bytes : 0);
            fill(inPlace.test(i) ? result : run.sendBuffer(i, bytes), 0, bytes, i, 0);
        }
    }

    private static void reduced(long[] result, int offset, int bytes, LongBinaryOperator operator, int size, int from) {
        for (int i = 0; i < bytes; i++) {
            assertEquals(combined(operator, 0, size, from + i), result[offset + i]);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "RECURSIVE_DOUBLING,true,3",
        "RECURSIVE_DOUBLING,false,3",
        "RABENSEIFNER,true,3",
        "RABENSEIFNER,true,33",
        "RING,true,3",
        "RING,true,70"
    })
    void allreduce_everyRankHasEachContributionOnceAndInOrder(Algorithm algorithm, boolean commutative, int bytes) {
        LongBinaryOperator operator = commutative ? SUM : COMPOSED;
        each(false, true, one -> {
            SymbolicRun run = start(
                    one,
                    operator,
                    algorithm,
                    rank -> call(
                            CollectiveKind.ALLREDUCE,
                            0,
                            one.inPlace(),
                            Call.Volume.of(bytes),
                            commutative ? PredefinedReduction.SUM : ORDERED));
            contribute(run, one, bytes, rank -> one.inPlace(), rank -> true);
            run.run();
            for (int rank = 0; rank < one.size(); rank++) {
                reduced(run.result(rank), 0, bytes, operator, one.size(), 0);
            }
        });
    }

    /** Lengths of blocks, some of which are empty. */
    private static Blocks blocks(int size) {
        long[] lengths = new long[size];
        for (int i = 0; i < size; i++) {
            lengths[i] = (i * 7L + 2) % 4;
        }
        return Blocks.of(lengths);
    }

    @ParameterizedTest
    @CsvSource({"RING,true", "REDUCE_AND_SCATTER,false"})
    void reduceScatter_everyRankHasItsPart(Algorithm algorithm, boolean commutative) {
        LongBinaryOperator operator = commutative ? SUM : COMPOSED;
        each(false, true, one -> {
            Blocks parts = blocks(one.size());
            int bytes = (int) parts.total();
            SymbolicRun run = start(
                    one,
                    operator,
                    algorithm,
                    rank -> call(
                            CollectiveKind.REDUCE_SCATTER,
                            0,
                            one.inPlace(),
                            new Call.Volume(bytes, Blocks.NONE, parts),
                            commutative ? PredefinedReduction.SUM : ORDERED));
            contribute(run, one, bytes, rank -> one.inPlace(), rank -> true);
            run.run();
            for (int i = 0; i < one.size(); i++) {
                reduced(run.result(i), 0, (int) parts.length(i), operator, one.size(), (int) parts.offset(i));
            }
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void scans_everyRankHasTheResultOfThoseBefore(boolean inclusive) {
        int bytes = 3;
        each(false, true, one -> {
            SymbolicRun run = start(
                    one,
                    COMPOSED,
                    Algorithm.LINEAR,
                    rank -> call(
                            inclusive ? CollectiveKind.SCAN : CollectiveKind.EXSCAN,
                            0,
                            one.inPlace(),
                            Call.Volume.of(bytes),
                            ORDERED));
            contribute(run, one, bytes, rank -> one.inPlace(), rank -> true);
            run.run();
            for (int rank = inclusive ? 0 : 1; rank < one.size(); rank++) {
                reduced(run.result(rank), 0, bytes, COMPOSED, inclusive ? rank + 1 : rank, 0);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"GATHER,BINOMIAL", "GATHER,LINEAR", "GATHERV,LINEAR"})
    void gathers_rootHasTheBlockOfEachRank(CollectiveKind kind, Algorithm algorithm) {
        each(true, true, one -> {
            Blocks parts = kind == CollectiveKind.GATHERV ? blocks(one.size()) : Blocks.even(one.size(), 3);
            SymbolicRun run = start(one, SUM, algorithm, rank -> {
                boolean root = rank == one.root();
                Call.Volume volume = new Call.Volume(parts.length(rank), Blocks.NONE, root ? parts : Blocks.NONE);
                return call(kind, one.root(), root && one.inPlace(), volume, PredefinedReduction.BOR);
            });
            for (int i = 0; i < one.size(); i++) {
                boolean root = i == one.root();
                int own = (int) parts.length(i);
                long[] result = run.receiveBuffer(i, root ? (int) parts.total() : 0);
                if (root && one.inPlace()) {
                    fill(result, (int) parts.offset(i), own, i, 0);
                } else {
                    fill(run.sendBuffer(i, own), 0, own, i, 0);
                }
            }
            run.run();
            for (int i = 0; i < one.size(); i++) {
                expect(run.result(one.root()), (int) parts.offset(i), (int) parts.length(i), i, 0);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"SCATTER,BINOMIAL", "SCATTER,LINEAR", "SCATTERV,LINEAR"})
    void scatters_everyRankHasItsBlock(CollectiveKind kind, Algorithm algorithm) {
        each(true, true, one -> {
            Blocks parts = kind == CollectiveKind.SCATTERV ? blocks(one.size()) : Blocks.even(one.size(), 3);
            SymbolicRun run = start(one, SUM, algorithm, rank -> {
                boolean root = rank == one.root();
                Call.Volume volume = new Call.Volume(parts.length(rank), root ? parts : Blocks.NONE, Blocks.NONE);
                return call(kind, one.root(), root && one.inPlace(), volume, PredefinedReduction.BOR);
            });
            for (int i = 0; i < one.size(); i++) {
                boolean root = i == one.root();
                long[] from = run.sendBuffer(i, root ? (int) parts.total() : 0);
                fill(from, 0, from.length, one.root(), 0);
                run.receiveBuffer(i, root && one.inPlace() ? 0 : (int) parts.length(i));
            }
            run.run();
            for (int i = 0; i < one.size(); i++) {
                int bytes = i == one.root() && one.inPlace() ? 0 : (int) parts.length(i);
                expect(run.result(i), 0, bytes, one.root(), (int) parts.offset(i));
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"ALLGATHER,BRUCK", "ALLGATHER,RING", "ALLGATHERV,RING"})
    void allgathers_everyRankHasTheBlockOfEachRank(CollectiveKind kind, Algorithm algorithm) {
        each(false, true, one -> {
            Blocks parts = kind == CollectiveKind.ALLGATHERV ? blocks(one.size()) : Blocks.even(one.size(), 2);
            SymbolicRun run = start(
                    one,
                    SUM,
                    algorithm,
                    rank -> call(
                            kind,
                            0,
                            one.inPlace(),
                            new Call.Volume(parts.length(rank), Blocks.NONE, parts),
                            PredefinedReduction.BOR));
            for (int i = 0; i < one.size(); i++) {
                long[] result = run.receiveBuffer(i, (int) parts.total());
                int own = (int) parts.length(i);
                if (one.inPlace()) {
                    fill(result, (int) parts.offset(i), own, i, 0);
                } else {
                    fill(run.sendBuffer(i, own), 0, own, i, 0);
                }
            }
            run.run();
            for (int i = 0; i < one.size(); i++) {
                for (int from = 0; from < one.size(); from++) {
                    expect(run.result(i), (int) parts.offset(from), (int) parts.length(from), from, 0);
                }
            }
        });
    }

    /** Bytes from one rank to another; the index of the first of them identifies the receiver. */
    private static int between(CollectiveKind kind, int from, int to) {
        return kind == CollectiveKind.ALLTOALL ? 2 : (from * 5 + to * 3) % 4;
    }

    private static Blocks row(CollectiveKind kind, int size, int rank, boolean sent) {
        long[] lengths = new long[size];
        for (int i = 0; i < size; i++) {
            lengths[i] = sent ? between(kind, rank, i) : between(kind, i, rank);
        }
        return Blocks.of(lengths);
    }

    @ParameterizedTest
    @CsvSource({"ALLTOALL,BRUCK,true", "ALLTOALL,PAIRWISE,true", "ALLTOALLV,PAIRWISE,false"})
    void alltoalls_everyRankHasItsBlockOfEachRank(CollectiveKind kind, Algorithm algorithm, boolean inPlaceToo) {
        each(false, inPlaceToo, one -> {
            int size = one.size();
            SymbolicRun run = start(
                    one,
                    SUM,
                    algorithm,
                    rank -> call(
                            kind,
                            0,
                            one.inPlace(),
                            new Call.Volume(2, row(kind, size, rank, true), row(kind, size, rank, false)),
                            PredefinedReduction.BOR));
            for (int i = 0; i < size; i++) {
                Blocks sent = row(kind, size, i, true);
                long[] result =
                        run.receiveBuffer(i, (int) row(kind, size, i, false).total());
                long[] from = one.inPlace() ? result : run.sendBuffer(i, (int) sent.total());
                for (int to = 0; to < size; to++) {
                    fill(from, (int) sent.offset(to), (int) sent.length(to), i, to * 10);
                }
            }
            run.run();
            for (int i = 0; i < size; i++) {
                Blocks received = row(kind, size, i, false);
                for (int from = 0; from < size; from++) {
                    expect(run.result(i), (int) received.offset(from), (int) received.length(from), from, i * 10);
                }
            }
        });
    }

    @Test
    void orderedSymbols_dependOnTheOrder() {
        long ab = composed(symbol(0, 0), symbol(1, 0));
        assertTrue(ab != composed(symbol(1, 0), symbol(0, 0)));
        assertEquals(composed(ab, symbol(2, 0)), composed(symbol(0, 0), composed(symbol(1, 0), symbol(2, 0))));
    }

    @Test
    void wholeVectors_haveOnePiece() {
        Combining sum = new Combining(ElementType.LONG, PredefinedReduction.SUM);
        Call allreduce = new Call(CollectiveKind.ALLREDUCE, 0, false, Call.Volume.of(1 << 20), sum);
        Call bcast = new Call(CollectiveKind.BCAST, 0, false, Call.Volume.of(1 << 20), Combining.NONE);
        for (int rank = 0; rank < 2; rank++) {
            assertEquals(1, sends(Schedules.compile(bcast, Algorithm.BINOMIAL, rank, 2, AlgorithmTable.WHOLE)) + rank);
            assertEquals(2, sends(Schedules.compile(allreduce, Algorithm.RABENSEIFNER, rank, 2, AlgorithmTable.WHOLE)));
            assertEquals(2, sends(Schedules.compile(allreduce, Algorithm.RABENSEIFNER, rank, 2, 64 << 10)));
            assertEquals(16, sends(Schedules.compile(bcast, Algorithm.BINOMIAL, rank, 2, 64 << 10)) + 16 * rank);
        }
        assertThrows(
                IllegalArgumentException.class, () -> AlgorithmTable.DEFAULT.withPieceBytes(2 * AlgorithmTable.WHOLE));
        assertThrows(IllegalArgumentException.class, () -> AlgorithmTable.DEFAULT.withPieceBytes(100));
    }

    private static int sends(Schedule schedule) {
        int sends = 0;
        for (int step = 0; step < schedule.size(); step++) {
            sends += schedule.code(step) == Schedule.SEND ? 1 : 0;
        }
        return sends;
    }
}
