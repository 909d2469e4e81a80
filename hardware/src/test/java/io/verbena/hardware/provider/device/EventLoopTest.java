package io.verbena.hardware.provider.device;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.SystemCalls;
import java.lang.foreign.Arena;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class EventLoopTest {

    @Test
    void descriptorRemoved_whileItIsServed_returnsAfterwards() throws InterruptedException {
        CountDownLatch serving = new CountDownLatch(1);
        CountDownLatch removing = new CountDownLatch(1);
        AtomicBoolean served = new AtomicBoolean();
        int fd = SystemCalls.eventfd();
        try (EventLoop loop = new EventLoop("loop");
                Arena arena = Arena.ofConfined()) {
            loop.add(fd, () -> {
                serving.countDown();
                try {
                    assertFalse(removing.await(50, TimeUnit.MILLISECONDS), "the descriptor is not closed meanwhile");
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                served.set(true);
            });
            long one = arena.allocate(Long.BYTES, Long.BYTES).address();
            Native.putLong(one, 1);
            SystemCalls.writeLong(fd, one);
            serving.await();
            loop.remove(fd);
            removing.countDown();
            assertTrue(served.get());
        }
        SystemCalls.close(fd);
    }
}
