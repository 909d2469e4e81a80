package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import io.verbena.port.StreamLoop;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/**
 * Rounds allocate nothing. Measured is one thread that drives both ends: every allocation of a round, a read, a write and a
 * select is counted. The JDK's own parts of that path allocate nothing either with direct buffers and a consumer.
 */
class AllocationTest {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void warmedUp_echoOverHotStreams_allocatesNothing() throws IOException {
        try (SocketLoop left = new SocketLoop(0);
                SocketLoop right = new SocketLoop(0)) {
            left.own();
            right.own();
            EchoPair pair = new EchoPair(left, right);
            pair.rounds(20_000);
            assertEquals(0, allocatedBy(() -> pair.rounds(10_000)));
        }
    }

    @Test
    void warmedUp_idleRoundsAndSelects_allocateNothing() throws IOException {
        try (SocketLoop left = new SocketLoop(0);
                SocketLoop right = new SocketLoop(0)) {
            left.own();
            right.own();
            EchoPair pair = new EchoPair(left, right);
            Runnable idle = () -> {
                for (int i = 0; i < 10_000; i++) {
                    left.poll();
                    left.select(0);
                    pair.toggle(i);
                }
            };
            idle.run();
            idle.run();
            assertEquals(0, allocatedBy(idle));
        }
    }

    @Test
    void warmedUp_waitsThatSpinAndPark_allocateNothing() {
        ParkingWaitPoint point = new ParkingWaitPoint(() -> {});
        long[] openAtNs = new long[1];
        BooleanSupplier open = () -> System.nanoTime() - openAtNs[0] >= 0;
        Runnable waits = () -> {
            for (int i = 0; i < 2_000; i++) {
                openAtNs[0] = System.nanoTime() + (i & 0xff) * 200L;
                point.signal();
                point.await(open, 10_000);
            }
        };
        waits.run();
        waits.run();
        assertEquals(0, allocatedBy(waits));
    }

    /** The least of several measurements: the compiler may move an allocation out of the way while it runs. */
    private static long allocatedBy(Runnable work) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5 && least > 0; i++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            work.run();
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        return least;
    }

    /** Eight bytes go over and come back. */
    private static final class EchoPair {
        private final SocketLoop left;
        private final SocketLoop right;
        private final EchoEnd client;
        private final EchoEnd server;

        EchoPair(SocketLoop left, SocketLoop right) throws IOException {
            this.left = left;
            this.right = right;
            client = new EchoEnd(left, false);
            server = new EchoEnd(right, true);
            StreamLoop.Acceptor acceptor = right.listen(StreamProbe.loopback(0), 1, server::onConnected);
            left.connect(acceptor.localAddress(), client);
            Until.holds("connected", () -> client.connected() && server.connected(), () -> {
                left.poll();
                right.poll();
            });
            acceptor.close();
        }

        void rounds(int count) {
            for (int i = 0; i < count; i++) {
                long before = client.received();
                client.send();
                while (client.received() == before) {
                    left.poll();
                    right.poll();
                }
            }
        }

        void toggle(int round) {
            client.stream().wantWritable((round & 1) == 0);
            client.stream().wantReadable((round & 2) == 0);
        }
    }
}
