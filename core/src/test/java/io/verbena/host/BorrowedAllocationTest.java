package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
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
        pingPong(provider, ConnectionOptions.defaults());
    }

    @ParameterizedTest
    @ValueSource(strings = {"iwarp", "shm"})
    void warmedUp_pingPongOfAConnectionThatSurvives_allocatesNothing(String provider) throws Exception {
        pingPong(provider, ConnectionOptions.defaults().surviving());
    }

    private static void pingPong(String provider, ConnectionOptions connection) throws Exception {
        RnicOptions options = RnicOptions.defaults().withProvider(provider);
        try (Rnic left = Rnic.open(options);
                Rnic right = Rnic.open(options)) {
            Site near = new Site(left);
            Site far = new Site(right);
            near.queuePair.postReceive(1, near.memory, 0, BYTES);
            far.queuePair.postReceive(1, far.memory, 0, BYTES);
            Site.connect(near, far, StreamProbe.loopback(0), connection);
            Fewest fewest = new Fewest();
            FutureTask<Long> echo = new FutureTask<>(() -> fewest.of(far, false));
            Thread.ofPlatform().daemon().start(echo);
            long pinging = fewest.of(near, true);
            long echoing = echo.get();
            assertTrue(pinging + echoing < BATCH, pinging + " and " + echoing + " bytes for " + BATCH + " messages");
        }
    }

    /** What both threads have allocated in their best batches. They play until that is nothing, or for all batches. */
    private static final class Fewest {
        private final LongAdder best = new LongAdder();
        private volatile boolean enough;
        private final CyclicBarrier bothPlayed = new CyclicBarrier(2, () -> enough = best.sumThenReset() < BATCH);

        /** The bytes that the calling thread has allocated in its best batch. */
        private long of(Site site, boolean first) throws Exception {
            long fewest = Long.MAX_VALUE / 2;
            for (int batch = 0; batch < MOST_BATCHES && !enough; batch++) {
                fewest = Math.min(fewest, allocated(site, first));
                best.add(fewest);
                bothPlayed.await(1, TimeUnit.MINUTES);
            }
            return fewest;
        }
    }

    /** The bytes that the calling thread allocates in a batch. */
    private static long allocated(Site site, boolean first) {
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
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }
}
