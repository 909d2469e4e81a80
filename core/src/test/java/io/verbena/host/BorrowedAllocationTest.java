package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A thread that borrows an engine allocates nothing, once the JVM has compiled what it does. */
class BorrowedAllocationTest {

    private static final int BYTES = 64;
    private static final int BATCH = 20_000;
    private static final int MOST_BATCHES = 10;
    private static final Duration SHORT = Duration.ofMillis(1);
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static void next(Site site) {
        while (!site.cursor.next()) {
            site.rnic.progress(SHORT);
        }
        site.queuePair.postReceive(1, site.memory, 0, BYTES);
    }

    private static void send(Site site) {
        site.queuePair.postSend(2, site.memory, BYTES, BYTES, WrFlags.UNSIGNALLED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"iwarp", "shm"})
    void warmedUp_pingPong_allocatesNothing(String provider) throws Exception {
        RnicOptions options = RnicOptions.defaults().withProvider(provider);
        try (Rnic left = Rnic.open(options);
                Rnic right = Rnic.open(options)) {
            Site near = new Site(left);
            Site far = new Site(right);
            near.queuePair.postReceive(1, near.memory, 0, BYTES);
            far.queuePair.postReceive(1, far.memory, 0, BYTES);
            Site.connect(near, far);
            FutureTask<Long> echo = new FutureTask<>(() -> fewest(far, false));
            Thread.ofPlatform().daemon().start(echo);
            long pinging = fewest(near, true);
            long echoing = echo.get();
            assertTrue(pinging + echoing < BATCH, pinging + " and " + echoing + " bytes for " + BATCH + " messages");
        }
    }

    /** The bytes that the calling thread has allocated in the best of several batches. */
    private static long fewest(Site site, boolean first) {
        long fewest = Long.MAX_VALUE;
        for (int batch = 0; batch < MOST_BATCHES; batch++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < BATCH; i++) {
                if (first) {
                    send(site);
                }
                next(site);
                if (!first) {
                    send(site);
                }
            }
            fewest = Math.min(fewest, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        return fewest;
    }
}
