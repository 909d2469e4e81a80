package io.verbena.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.base.PacketList;
import io.verbena.port.ByteStream;
import io.verbena.port.PacketBatch;
import io.verbena.port.PacketEvents;
import io.verbena.port.PacketPort;
import io.verbena.port.PacketSender;
import io.verbena.port.StreamLoop;
import io.verbena.wire.ip.TcpHeader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** From which UDP port the segments of a connection leave: the peer knows the connection by it. */
class UdpPortsTest {

    private static final long SECOND = 1_000_000_000;
    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");

    /** The UDP port and the TCP port of each segment that was sent. */
    private final List<int[]> sent = new ArrayList<>();

    private int nextPort = 20_000;
    private final UdpTcp tcp = new UdpTcp(this::open, UdpTcp.Paths.of(1500), Script.settings(), new FixedRandom(), 0);

    private PacketPort open(InetSocketAddress local, PacketEvents events) {
        int port = local.getPort() == 0 ? nextPort++ : local.getPort();
        return new Port(new InetSocketAddress(local.getAddress(), port));
    }

    private void turn(long nowNs) {
        tcp.turn(nowNs);
        tcp.flush(nowNs);
    }

    // The TCP port of a connection is random, and so it may be that of a listener that is opened later.
    @Test
    void listenerAtTheTcpPortOfAConnection_connectionKeepsItsUdpPort() throws IOException {
        tcp.connect(new InetSocketAddress(LOOPBACK, 7471), new StreamLoop.ConnectEvents() {
            @Override
            public void onConnected(ByteStream stream) {
                throw new AssertionError("nothing answers");
            }

            @Override
            public void onConnectFailed(boolean refused, String sentence) {
                throw new AssertionError(sentence);
            }
        });
        turn(0);
        assertEquals(20_000, sent.getFirst()[0]);
        tcp.listen(new InetSocketAddress(LOOPBACK, sent.getFirst()[1]), 1, stream -> {});
        turn(2 * SECOND);
        assertEquals(2, sent.size());
        assertEquals(20_000, sent.getLast()[0]);
    }

    /** Records what is sent, and receives nothing. */
    private final class Port implements PacketPort {
        private final InetSocketAddress local;

        Port(InetSocketAddress local) {
            this.local = local;
        }

        @Override
        public int send(PacketList list, int from) {
            for (int i = from; i < list.packets(); i++) {
                ByteBuffer bytes = ByteBuffer.allocate(list.length(i));
                list.copyOut(i, bytes);
                TcpHeader header = new TcpHeader().wrap(MemorySegment.ofArray(bytes.array()), 0);
                sent.add(new int[] {local.getPort(), header.sourcePort()});
            }
            return list.packets();
        }

        @Override
        public InetSocketAddress localAddress() {
            return local;
        }

        @Override
        public int receiveBufferBytes() {
            return 1 << 20;
        }

        @Override
        public boolean showsTrafficClass() {
            return false;
        }

        @Override
        public PacketSender share(Consumer<InetSocketAddress> unreachable) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int receive(PacketBatch batch) {
            return 0;
        }

        @Override
        public int groupPackets() {
            return 1;
        }

        @Override
        public int groupBytes() {
            return 65_507;
        }

        @Override
        public void wantWritable(boolean wanted) {}

        @Override
        public void join(InetAddress group) {}

        @Override
        public void leave(InetAddress group) {}

        @Override
        public void close() {}
    }
}
