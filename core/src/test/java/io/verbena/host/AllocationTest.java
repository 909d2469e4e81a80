package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import io.verbena.base.PacketList;
import io.verbena.base.PacketPath;
import io.verbena.host.engine.EngineLoop;
import io.verbena.host.engine.ParkingWaitPoint;
import io.verbena.host.epoll.EpollLoop;
import io.verbena.host.socket.SocketLoop;
import io.verbena.port.Addresses;
import io.verbena.port.PacketBatch;
import io.verbena.port.PacketEvents;
import io.verbena.port.PacketPort;
import io.verbena.port.StreamLoop;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Rounds allocate nothing. Measured is one thread that drives both ends: every allocation of a round, a read, a write
 * and a select is counted. The JDK's own parts of that path allocate nothing either with direct buffers and a consumer.
 */
class AllocationTest {

    /** Of loop. */
    enum Kind {
        JDK,
        SYSTEM
    }

    private static EngineLoop open(Kind kind) throws IOException {
        return kind == Kind.JDK ? new SocketLoop(0) : EpollLoop.openFastest(0);
    }

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @ParameterizedTest
    @EnumSource
    void warmedUp_echoOverHotStreams_allocatesNothing(Kind kind) throws IOException {
        try (EngineLoop left = open(kind);
                EngineLoop right = open(kind)) {
            left.own();
            right.own();
            EchoPair pair = new EchoPair(left, right);
            pair.rounds(20_000);
            assertEquals(0, allocatedBy(() -> pair.rounds(10_000)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void warmedUp_idleRoundsAndSelects_allocateNothing(Kind kind) throws IOException {
        try (EngineLoop left = open(kind);
                EngineLoop right = open(kind)) {
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
            for (int i = 0; i < 12; i++) {
                idle.run(); // calls of the system through method handles allocate until they are compiled
            }
            assertEquals(0, allocatedBy(idle));
        }
    }

    @ParameterizedTest
    @EnumSource
    void warmedUp_packetsBackAndForth_allocateNothing(Kind kind) throws IOException {
        try (EngineLoop left = open(kind);
                EngineLoop right = open(kind)) {
            left.own();
            right.own();
            PacketEcho client = new PacketEcho(left);
            PacketEcho server = new PacketEcho(right);
            Runnable rounds = () -> {
                for (int i = 0; i < 5_000; i++) {
                    client.sendTo(server);
                    right.poll();
                    server.sendTo(client);
                    left.poll();
                }
            };
            for (int i = 0; i < 4; i++) {
                rounds.run();
            }
            assertEquals(0, allocatedBy(rounds));
            assertEquals(0, client.lost + server.lost);
        }
    }

    /** A port that sends groups of packets and drops what it receives. */
    private static final class PacketEcho implements PacketEvents {
        private static final int PACKETS = 8;
        private final PacketPort port;
        private final PacketList list = new PacketList(64 * 1024);
        private final PacketBatch batch = new PacketBatch(PacketPort.LEAST_BATCH_BYTES * 2, 256);
        private PacketPath path = new PacketPath(0, 0, 0, 0);
        private int lost;

        PacketEcho(EngineLoop loop) throws IOException {
            port = loop.open(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), this);
        }

        void sendTo(PacketEcho other) {
            if (path.port() == 0) {
                path = Addresses.path(other.port.localAddress(), PacketPath.ECT_0);
            }
            list.reset(port.groupPackets(), port.groupBytes());
            for (int i = 0; i < PACKETS; i++) {
                list.reserve(64);
                list.endPacket(path, 0);
            }
            try {
                lost += PACKETS - port.send(list, 0);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void onReadable() {
            batch.reset();
            try {
                port.receive(batch);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void onWritable() {
            throw new AssertionError("not requested");
        }

        @Override
        public void onUnreachable(InetSocketAddress destination) {
            throw new AssertionError(destination + " is reachable");
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

    /**
     * The least of several measurements: the compiler may move an allocation out of the way while it runs, and calls
     * through method handles allocate until they are compiled, which a busy machine does late.
     */
    private static long allocatedBy(Runnable work) {
        long least = Long.MAX_VALUE;
        long endNs = System.nanoTime() + 60_000_000_000L;
        while (least > 0 && System.nanoTime() - endNs < 0) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            work.run();
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        return least;
    }

    /** Eight bytes go over and come back. */
    private static final class EchoPair {
        private final EngineLoop left;
        private final EngineLoop right;
        private final EchoEnd client;
        private final EchoEnd server;

        EchoPair(EngineLoop left, EngineLoop right) throws IOException {
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
