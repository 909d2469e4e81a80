package io.verbena.host.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.host.system.Machine;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SegmentLoopTest {

    @Test
    void callThatThrows_isRepeated_andOthersAreCalled_untilTheLastIsUnwatched() throws Exception {
        assumeTrue(Machine.obstacleToLinux().isEmpty());
        long name = ProcessHandle.current().pid();
        SegmentLoop loop = new SegmentLoop("test-loop");
        SegmentSocket listener = SegmentSocket.listen(name);
        SegmentSocket first = SegmentSocket.open();
        SegmentSocket second = SegmentSocket.open();
        assertEquals(0, first.connect(name));
        assertEquals(0, second.connect(name));
        AtomicInteger failures = new AtomicInteger();
        CountDownLatch repeated = new CountDownLatch(1);
        CountDownLatch other = new CountDownLatch(1);
        long[] watches = new long[2];
        synchronized (loop) {
            watches[0] = loop.watch(first.fd(), () -> {
                if (failures.incrementAndGet() < 3) {
                    Thread.currentThread().setUncaughtExceptionHandler((thread, e) -> {}); // keeps the output clean
                    throw new OutOfMemoryError("simulated");
                }
                loop.unwatch(watches[0]);
                first.close();
                repeated.countDown();
            });
            watches[1] = loop.watch(second.fd(), () -> {
                loop.unwatch(watches[1]);
                second.close();
                other.countDown();
            });
        }
        listener.close(); // ends both
        assertTrue(other.await(20, TimeUnit.SECONDS));
        assertTrue(repeated.await(20, TimeUnit.SECONDS));
        assertEquals(3, failures.get());
        SharedSegmentTest.assertNothingIsLeft();
    }
}
