package io.verbena.messaging;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import io.verbena.messaging.collective.ElementType;
import io.verbena.messaging.collective.PredefinedReduction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** Eager messages and persistent collective operations in steady state allocate nothing, on either side: each rank's thread drives its own RNIC. */
class AllocationTest {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void warmedUp_eagerMessages_allocateNothing() {
        for (int length : new int[] {8, 700, 16_384}) {
            Ranks.run(2, MessagingOptions.defaults(), world -> {
                MemorySegment ball = Arena.ofAuto().allocate(length, 8);
                Status status = new Status();
                long least = Long.MAX_VALUE;
                long endNs = System.nanoTime() + 60_000_000_000L;
                boolean enough;
                do { // Calls through method handles allocate until they are compiled, which may be late.
                    long before = THREADS.getCurrentThreadAllocatedBytes();
                    rounds(world, ball, status, 2_000);
                    least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
                    enough = least == 0 || System.nanoTime() - endNs > 0;
                } while (!bothHaveEnough(world, enough));
                assertEquals(0, least, length + " bytes");
            });
        }
    }

    @Test
    void warmedUp_persistentAllreduce_allocatesNothing() {
        Ranks.run(2, MessagingOptions.defaults(), world -> {
            MemorySegment vector = Arena.ofAuto().allocate(800, 8);
            PersistentRequest request = world.persistent()
                    .allreduce(Collectives.IN_PLACE, vector, ElementType.DOUBLE, PredefinedReduction.SUM);
            long least = Long.MAX_VALUE;
            long endNs = System.nanoTime() + 60_000_000_000L;
            boolean enough;
            do {
                long before = THREADS.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 2_000; i++) {
                    request.start();
                    request.await();
                }
                least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
                enough = least == 0 || System.nanoTime() - endNs > 0;
            } while (!bothHaveEnough(world, enough));
            assertEquals(0, least);
        });
    }

    /** Both ranks play the same rounds, so they stop together. */
    private static boolean bothHaveEnough(Communicator world, boolean own) {
        MemorySegment word = Arena.ofAuto().allocate(8, 8);
        int other = 1 - world.rank();
        if (world.rank() == 0) {
            word.set(JAVA_BYTE, 0, (byte) (own ? 1 : 0));
            world.send(word, 0, 8, other, 1);
            world.recv(word, 0, 8, other, 1, new Status());
            return word.get(JAVA_BYTE, 0) == 1;
        }
        world.recv(word, 0, 8, other, 1, new Status());
        boolean both = own && word.get(JAVA_BYTE, 0) == 1;
        word.set(JAVA_BYTE, 0, (byte) (both ? 1 : 0));
        world.send(word, 0, 8, other, 1);
        return both;
    }

    private static void rounds(Communicator world, MemorySegment ball, Status status, int count) {
        long length = ball.byteSize();
        int other = 1 - world.rank();
        for (int i = 0; i < count; i++) {
            if (world.rank() == 0) {
                world.send(ball, 0, length, other, 0);
                world.recv(ball, 0, length, other, 0, status);
            } else {
                world.recv(ball, 0, length, other, 0, status);
                world.send(ball, 0, length, other, 0);
            }
        }
    }
}
