package io.verbena.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import io.verbena.base.PacketList;
import io.verbena.base.Slab;
import io.verbena.base.TransmitList;
import io.verbena.port.ByteStream;
import io.verbena.port.PacketBatch;
import io.verbena.port.SegmentTaker;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamLoop;
import io.verbena.tcp.flow.FlowKey;
import io.verbena.tcp.flow.IpAddress;
import io.verbena.tcp.ip.PacketOut;
import io.verbena.tcp.state.TcpSettings;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A segment costs no object, neither when it is sent and acknowledged nor when it arrives, in order or after a hole. */
class TcpAllocationTest {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int ROUNDS = 1_500;
    private static final int UNITS = 8;
    private static final int UNIT_BYTES = 1_400;

    private TcpHost first = host(1);
    private TcpHost second = host(2);
    private TcpLoop firstLoop = first.newLoop(() -> {});
    private TcpLoop secondLoop = second.newLoop(() -> {});
    private final PacketList packet = new PacketList(1 << 16);
    private final PacketBatch arriving = new PacketBatch(1 << 18, 1024);
    private boolean overUdp;
    private final TransmitList list = new TransmitList(UNITS * UNIT_BYTES);
    private final Taker taker = new Taker();
    private @Nullable ByteStream sender;
    private @Nullable TcpStream receiver;
    private int lostOneIn;
    private int packets;
    private long nowNs;

    private static TcpHost host(int number) {
        return new TcpHost(TcpSettings.defaults(), FlowKey.inet(0x0a00_0000 + number), false, new FixedRandom(), 0);
    }

    private void overUdp() {
        overUdp = true;
        first = TcpHost.overUdp(TcpSettings.defaults(), true, new FixedRandom(), 0);
        second = TcpHost.overUdp(TcpSettings.defaults(), true, new FixedRandom(), 0);
        firstLoop = first.newLoop(() -> {});
        secondLoop = second.newLoop(() -> {});
    }

    private static final class Taker implements SegmentTaker {
        private long from;
        private long to;

        @Override
        public void onSegment(long streamOffset, Slab slab, int first, int last) {
            from = streamOffset;
            to = streamOffset + (last - first);
        }

        @Override
        public long takenFrom() {
            return from;
        }

        @Override
        public long takenTo() {
            return to;
        }

        @Override
        public void onInOrder(long streamOffset) {}
    }

    private void connect() throws IOException {
        InetSocketAddress address = new InetSocketAddress(FlowKey.inet(0x0a00_0002), 7471);
        StreamEvents quiet = new StreamEvents() {
            @Override
            public void onReadable() {}

            @Override
            public void onWritable() {}
        };
        secondLoop.listen(address, 1, accepted -> {
            secondLoop.attach(accepted, quiet);
            receiver = (TcpStream) accepted;
            receiver.deliverSegments(0);
        });
        firstLoop.connect(address, new StreamLoop.ConnectEvents() {
            @Override
            public void onConnected(ByteStream byteStream) {
                firstLoop.attach(byteStream, quiet);
                sender = byteStream;
            }

            @Override
            public void onConnectFailed(boolean refused, String sentence) {
                throw new AssertionError(sentence);
            }
        });
        exchange();
        exchange();
    }

    private void exchange() {
        nowNs += 50_000;
        first.onDeadline(nowNs);
        second.onDeadline(nowNs);
        boolean moved = true;
        while (moved) {
            moved = carry(first, second) | carry(second, first);
            firstLoop.report();
            secondLoop.report();
            moved |= receive();
            first.settle();
            second.settle();
            arriving.reset();
        }
    }

    private boolean carry(TcpHost from, TcpHost to) {
        boolean moved = false;
        while (from.transmit(nowNs)) {
            moved = true;
            packets++;
            if (lostOneIn > 0 && packets % lostOneIn == 0) {
                continue;
            }
            PacketOut out = from.out();
            if (overUdp) {
                encapsulated(from, to);
            } else {
                to.onPacket(out.slab().segment(), PacketOut.OFFSET, PacketOut.OFFSET + out.length(), false, nowNs);
            }
        }
        return moved;
    }

    private void encapsulated(TcpHost from, TcpHost to) {
        packet.reset(1, 1 << 16);
        from.addTo(packet);
        int bytes = 0;
        for (int i = 0; i < packet.firstPiece(1); i++) {
            ByteBuffer piece = packet.piece(i);
            arriving.slab().put(arriving.used() + bytes, piece, piece.position(), piece.remaining());
            bytes += packet.pieceLength(i);
        }
        // Connections of the first host go to port 7471, and its own UDP port has the number 9.
        boolean there = from.equals(first);
        long source = IpAddress.mapped(there ? 0x0a00_0001 : 0x0a00_0002);
        arriving.add(bytes, 0, source, there ? 9 : 7471, 0, 0);
        to.onEncapsulated(arriving, arriving.packets() - 1, nowNs);
    }

    private boolean receive() {
        TcpStream currentReceiver = receiver;
        try {
            return currentReceiver != null && currentReceiver.receive(taker, 1 << 20) > 0;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void round() {
        list.reset();
        for (int i = 0; i < UNITS; i++) {
            list.reserve(UNIT_BYTES);
            list.endUnit(0);
        }
        try {
            Objects.requireNonNull(sender).write(list);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        exchange();
    }

    private long bytesPerThousandSegments() {
        for (int i = 0; i < ROUNDS; i++) {
            round();
        }
        packets = 0;
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < ROUNDS; i++) {
            round();
        }
        return (THREADS.getCurrentThreadAllocatedBytes() - before) * 1_000 / packets;
    }

    @Test
    void segments_inOrder_allocateNothing() throws IOException {
        connect();
        assertEquals(0, bytesPerThousandSegments() / 1_000, "bytes per segment");
    }

    @Test
    void segments_overUdp_allocateNothing() throws IOException {
        overUdp();
        connect();
        assertEquals(0, bytesPerThousandSegments() / 1_000, "bytes per segment");
    }

    @Test
    void segments_overUdpWithLoss_allocateNothing() throws IOException {
        overUdp();
        connect();
        lostOneIn = 37;
        assertEquals(0, bytesPerThousandSegments() / 1_000, "bytes per segment");
    }

    @Test
    void segments_withLoss_allocateNothing() throws IOException {
        connect();
        lostOneIn = 37;
        assertEquals(0, bytesPerThousandSegments() / 1_000, "bytes per segment");
    }
}
