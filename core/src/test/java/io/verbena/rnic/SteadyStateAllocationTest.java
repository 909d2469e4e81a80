package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.verbena.verbs.Notification;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Posting, the turns of the engines and polling allocate no object, for any operation and any provider. */
class SteadyStateAllocationTest {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final WrFlags INLINE = WrFlags.SIGNALLED.withInline();

    @ParameterizedTest
    @EnumSource(ProviderWorld.class)
    void warmedUp_everyKindOfWork_allocatesNothing(ProviderWorld provider) throws IOException {
        assertEquals(0, leastAllocated(provider, RnicOptions.defaults()));
    }

    @Test
    void warmedUp_withCrcAndMarkers_allocatesNothing() throws IOException {
        assertEquals(
                0,
                leastAllocated(
                        ProviderWorld.IWARP,
                        RnicOptions.defaults().withCrc(true).withMarkers(true)));
    }

    /** Only the engine of the side that accesses runs. */
    @Test
    void warmedUp_directAccess_allocatesNothing() throws IOException {
        try (ManualWorld world = ManualWorld.direct()) {
            Pair pair = new Pair(world).connect();
            assertTrue(pair.a.queuePair.postWrite(
                    1, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, WrFlags.UNSIGNALLED)); // requests the grant
            world.settle();
            assertEquals(0, leastAllocated(count -> directRounds(pair, count)));
        }
    }

    private static void directRounds(Pair pair, int count) {
        long there = pair.b.memory.address();
        int key = pair.b.memory.rkey();
        for (int i = 0; i < count; i++) {
            assertTrue(pair.a.queuePair.postWrite(1, pair.a.memory, 0, 200_000, there, key, WrFlags.SIGNALLED));
            assertTrue(pair.a.queuePair.postWrite(2, pair.a.memory, 0, 8, there, key, WrFlags.SIGNALLED));
            assertTrue(pair.a.queuePair.postRead(3, pair.a.memory, 0, 30_000, there, key, WrFlags.SIGNALLED));
            assertTrue(pair.a.queuePair.postFetchAndAdd(4, pair.a.memory, 8, there, key, 1, WrFlags.SIGNALLED));
            assertTrue(pair.a.queuePair.postCompareAndSwap(5, pair.a.memory, 8, there, key, 1, 2, WrFlags.SIGNALLED));
            int polled = 0;
            for (int turn = 0; polled < 5; turn++) {
                assertTrue(turn < 100);
                pair.a.rnic.engine(0).turn(pair.world.nowNs);
                polled += taken(pair.a);
            }
            ManualEnvironment.of(pair.a.rnic).woken.clear();
        }
    }

    private static long leastAllocated(ProviderWorld provider, RnicOptions options) throws IOException {
        try (ManualWorld world = provider.open()) {
            Pair pair = new Pair(world, options, 64, it -> it).connect();
            return leastAllocated(pair, provider.carrier(world));
        }
    }

    private static long leastAllocated(Pair pair, Runnable carrier) {
        WorkRequest template = pair.a.queuePair.newWorkRequest().send().gather(pair.a.memory, 0, 3_000);
        pair.b.cq.onReady(() -> {});
        return leastAllocated(count -> rounds(pair, template, carrier, count));
    }

    private static long leastAllocated(IntConsumer rounds) {
        rounds.accept(3000);
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5 && least > 0; i++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            rounds.accept(300);
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        return least;
    }

    private static void rounds(Pair pair, WorkRequest template, Runnable carrier, int count) {
        for (int i = 0; i < count; i++) {
            pair.b.cq.requestNotification(Notification.NEXT);
            assertTrue(pair.b.queuePair.postReceive(i, pair.b.memory, 0, 4_000));
            assertTrue(pair.b.queuePair.postReceive(i, pair.b.memory, 0, 4_000));
            long there = pair.b.memory.address();
            int key = pair.b.memory.rkey();
            pair.a.queuePair.startBatch();
            assertTrue(pair.a.queuePair.post(template));
            assertTrue(pair.a.queuePair.postSend(1, pair.a.memory, 0, 60, INLINE));
            assertTrue(pair.a.queuePair.postWrite(2, pair.a.memory, 0, 5_000, there, key, WrFlags.UNSIGNALLED));
            assertTrue(pair.a.queuePair.postRead(3, pair.a.memory, 0, 5_000, there, key, WrFlags.SIGNALLED));
            assertTrue(pair.a.queuePair.postFetchAndAdd(4, pair.a.memory, 8, there, key, 1, WrFlags.SIGNALLED));
            pair.a.queuePair.ringDoorbell();
            int polled = 0;
            for (int turn = 0; polled < 6; turn++) {
                assertTrue(turn < 100);
                carrier.run();
                pair.a.rnic.engine(0).turn(pair.world.nowNs);
                pair.b.rnic.engine(0).turn(pair.world.nowNs);
                polled += taken(pair.a) + taken(pair.b);
            }
            ManualEnvironment.of(pair.a.rnic).woken.clear();
        }
    }

    private static int taken(Pair.Side side) {
        int count = 0;
        while (side.cursor.next()) {
            assertTrue(side.cursor.ok());
            count++;
        }
        return count;
    }
}
