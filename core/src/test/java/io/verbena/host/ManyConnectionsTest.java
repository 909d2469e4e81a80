package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two thousand connections in one JVM, both ends of each, all active: what an end costs in memory of the RNIC. */
class ManyConnectionsTest {

    private static final int CONNECTIONS = 2_000;
    private static final int MOST_BYTES_AN_END = 64 * 1024;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @Test
    void twoThousandConnections_allActive_costLessThan64KiBEach() throws Exception {
        try (Rnic rnic = Rnic.open(RnicOptions.defaults().withCrc(true))) {
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            CompletionQueue sends = rnic.createCompletionQueue(4 * CONNECTIONS);
            CompletionQueue receives = rnic.createCompletionQueue(4 * CONNECTIONS);
            MemoryRegion memory = domain.allocate(
                    1 << 16, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE);
            long before = usedBytes();
            List<QueuePair> ends = connect(rnic, domain, sends, receives);
            for (int round = 0; round < 3; round++) {
                exchange(ends, memory, sends, receives);
            }
            long perEnd = (usedBytes() - before) / ends.size();
            System.out.println(ends.size() + " queue pairs, " + perEnd + " bytes each");
            assertTrue(perEnd < MOST_BYTES_AN_END, perEnd + " bytes an end");
        }
    }

    private static List<QueuePair> connect(
            Rnic rnic, ProtectionDomain domain, CompletionQueue sends, CompletionQueue receives) throws Exception {
        Listener listener =
                rnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), ListenOptions.defaults());
        QueuePairOptions options = QueuePairOptions.of(sends, receives);
        List<QueuePair> ends = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            QueuePair client = domain.createQueuePair(options);
            QueuePair server = domain.createQueuePair(options);
            Connection dialled = rnic.startConnect(client, listener.localAddress(), ConnectionOptions.defaults());
            ConnectionRequest request = listener.nextRequest(TIMEOUT).orElseThrow();
            request.accept(server);
            dialled.awaitEstablished(TIMEOUT);
            ends.add(client);
            ends.add(server);
        }
        return ends;
    }

    /** Every end sends a message and receives one. */
    private static void exchange(
            List<QueuePair> ends, MemoryRegion memory, CompletionQueue sends, CompletionQueue receives) {
        for (QueuePair end : ends) {
            assertTrue(end.postReceive(1, memory, 0, 4096));
        }
        for (QueuePair end : ends) {
            assertTrue(end.postSend(2, memory, 8192, 4096, WrFlags.SIGNALLED));
        }
        take(sends, ends.size());
        take(receives, ends.size());
    }

    private static void take(CompletionQueue cq, int count) {
        CompletionCursor cursor = cq.cursor();
        int taken = 0;
        while (taken < count) {
            if (cursor.next()) {
                assertTrue(cursor.ok(), cursor::reason);
                taken++;
            } else {
                assertTrue(cq.await(TIMEOUT), "only " + taken + " of " + count + " completions");
            }
        }
        assertEquals(count, taken);
    }

    /** Heap and off-heap memory in use: work queues, slabs, objects. */
    private static long usedBytes() {
        long heap = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            System.gc();
            heap = Math.min(
                    heap,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        long direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
        return heap + direct;
    }
}
