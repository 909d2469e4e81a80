package mpi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.MessagingOptions;
import io.verbena.messaging.Ranks;
import java.nio.DoubleBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows that are accessed without a call of their rank: locks, flushes and accumulating calls. */
class WinTest {

    private static final MessagingOptions OPTIONS = MessagingOptions.defaults().withTimeout(Duration.ofSeconds(60));
    private static final int ROUNDS = 30;

    private interface Program {
        void run(Intracomm world) throws Exception;
    }

    private static void run(int size, boolean sharedMemory, Program program) {
        MessagingOptions options =
                OPTIONS.withRnic(sharedMemory ? OPTIONS.rnic().withProvider("shm") : OPTIONS.rnic());
        Ranks.run(size, options, world -> program.run(new Intracomm(world)));
    }

    private static IntBuffer ints(int... values) {
        IntBuffer buffer = MPI.newIntBuffer(Math.max(1, values.length));
        buffer.put(0, values);
        return buffer;
    }

    private static LongBuffer longs(long... values) {
        LongBuffer buffer = MPI.newLongBuffer(Math.max(1, values.length));
        buffer.put(0, values);
        return buffer;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void exclusiveLock_readersAndWriters_loseNoUpdate(boolean sharedMemory) {
        run(3, sharedMemory, world -> {
            IntBuffer memory = ints(0, 0);
            Win window = new Win(memory, 2, 1, MPI.INFO_NULL, world);
            IntBuffer value = ints(0);
            for (int i = 0; i < ROUNDS; i++) {
                window.lock(MPI.LOCK_EXCLUSIVE, 1, 0);
                window.get(value, 1, MPI.INT, 1, 1);
                window.flush(1);
                value.put(0, value.get(0) + 1);
                window.put(value, 1, MPI.INT, 1, 1);
                window.unlock(1);
            }
            world.barrier();
            window.lock(MPI.LOCK_SHARED, 1, 0);
            window.get(value, 1, MPI.INT, 1, 1);
            window.unlock(1);
            assertEquals(3 * ROUNDS, value.get(0));
            window.free();
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void accumulatingCalls_ofSeveralRanks_loseNoUpdate(boolean sharedMemory) {
        run(3, sharedMemory, world -> {
            int rank = world.getRank();
            LongBuffer words = longs(0, 100, 0);
            Win window = new Win(words, 3, 1, MPI.INFO_NULL, world);
            DoubleBuffer numbers = MPI.newDoubleBuffer(2);
            Win sums = new Win(numbers, 2, 1, MPI.INFO_NULL, world);
            DoubleBuffer half = MPI.newDoubleBuffer(2);
            half.put(0, new double[] {0.5, 1});
            window.lockAll(0);
            sums.lockAll(0);
            LongBuffer before = longs(0, 0);
            for (int i = 0; i < ROUNDS; i++) {
                window.fetchAndOp(longs(1), before, MPI.LONG, 0, 0, MPI.SUM);
                window.accumulate(longs(100 + rank), 1, MPI.LONG, 0, 1, 1, MPI.LONG, MPI.MAX);
                sums.accumulate(half, 2, MPI.DOUBLE, 0, 0, 2, MPI.DOUBLE, MPI.SUM);
            }
            window.compareAndSwap(longs(rank + 1), longs(0), before, MPI.LONG, 0, 2);
            long winner = before.get(0);
            sums.unlockAll();
            window.unlockAll();
            world.barrier();
            window.lock(MPI.LOCK_SHARED, 0, 0);
            LongBuffer all = longs(0, 0, 0);
            window.getAccumulate(null, 0, MPI.LONG, all, 3, MPI.LONG, 0, 0, 3, MPI.LONG, MPI.NO_OP);
            window.unlock(0);
            assertEquals(3 * ROUNDS, all.get(0));
            assertEquals(102, all.get(1));
            assertTrue(winner == 0 ? all.get(2) == rank + 1 : all.get(2) == winner);
            DoubleBuffer found = MPI.newDoubleBuffer(2);
            sums.fence(0);
            sums.get(found, 2, MPI.DOUBLE, 0, 0);
            sums.fence(0);
            assertEquals(1.5 * ROUNDS, found.get(0));
            assertEquals(3.0 * ROUNDS, found.get(1));
            window.free();
            sums.free();
        });
    }

    @Test
    void smallWordsAndOwnWindow_areReplacedAndSwapped() {
        run(2, true, world -> {
            IntBuffer memory = ints(5, 6);
            Win window = new Win(memory, 2, 1, MPI.INFO_NULL, world);
            IntBuffer before = ints(0);
            int rank = world.getRank();
            for (int target : new int[] {rank, 1 - rank}) {
                window.lock(MPI.LOCK_EXCLUSIVE, target, 0);
                window.fetchAndOp(ints(5), before, MPI.INT, target, 0, MPI.REPLACE);
                assertEquals(5, before.get(0));
                window.compareAndSwap(ints(9), ints(7), before, MPI.INT, target, 1);
                assertEquals(6, before.get(0));
                window.compareAndSwap(ints(6), ints(6), before, MPI.INT, target, 1);
                assertEquals(6, before.get(0));
                window.put(ints(6), 1, MPI.INT, target, 1);
                window.unlock(target);
            }
            fails(MPI.ERR_OTHER, () -> window.unlock(0));
            fails(MPI.ERR_ARG, () -> window.lock(7, 0, 0));
            fails(MPI.ERR_RANK, () -> window.lock(MPI.LOCK_SHARED, 2, 0));
            window.free();
        });
    }

    @Test
    void columnOfAnotherRank_isPutAndFetched() {
        run(2, true, world -> {
            int rank = world.getRank();
            IntBuffer memory = ints(0, 1, 2, 3, 4, 5);
            Win window = new Win(memory, 6, 1, MPI.INFO_NULL, world);
            Datatype column = Datatype.createVector(3, 1, 2, MPI.INT);
            window.fence(0);
            if (rank == 0) {
                IntBuffer into = ints(-1, -1, -1, -1, -1, -1);
                window.lock(MPI.LOCK_EXCLUSIVE, 1, 0);
                window.get(into, 1, column, 1, 1, 1, column);
                window.flush(1);
                window.put(ints(10, 20, 30), 3, MPI.INT, 1, 0, 1, column);
                window.unlock(1);
                int[] found = new int[6];
                into.get(0, found);
                assertArrayEquals(new int[] {1, -1, 3, -1, 5, -1}, found);
            }
            window.fence(0);
            int[] found = new int[6];
            memory.get(0, found);
            assertArrayEquals(rank == 1 ? new int[] {10, 1, 20, 3, 30, 5} : new int[] {0, 1, 2, 3, 4, 5}, found);
            window.free();
        });
    }

    private static void fails(int errorClass, org.junit.jupiter.api.function.Executable call) {
        assertEquals(errorClass, assertThrows(MPIException.class, call).getErrorClass());
    }
}
