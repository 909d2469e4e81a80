package io.verbena.fabric.endnode;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.link.SeededNumbers;
import io.verbena.fabric.topology.TopologySpecification;
import io.verbena.fixture.Seeds;
import io.verbena.port.ByteStream;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamLoop;
import io.verbena.sim.PacketTcp;
import io.verbena.sim.lan.Lan;
import io.verbena.sim.lan.LanHost;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Notification;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.ib.Lrh;
import io.verbena.wire.ip.InternetChecksum;
import io.verbena.wire.ip.Ipv6Header;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** T4 and F6: IPv6 packets of raw datagrams between endnodes and hosts of a LAN. */
class LanTest {

    private static final InetAddress ROUTER = InetAddress.ofLiteral("fd00:1a::1");
    private static final InetAddress HOST = InetAddress.ofLiteral("fd00:1a::2");
    private static final long SECOND_NS = 1_000_000_000L;
    private static final int GATEWAY = 3;
    private static final int MTU = 1_280;
    private static final int SLOTS = 64;
    private static final int ECHO = 128;
    private static final int ECHO_REPLY = 129;

    private final San san = San.of(TopologySpecification.parse("leaf-spine:2x2,hosts=2"), SanSettings.DEFAULT);
    private final Lan lan = new Lan(san.world());
    private final InetAddress gateway = san.lan(GATEWAY, lan, ROUTER);
    private final LanHost host = lan.host(HOST, ROUTER);
    private final List<byte[]> carried = new ArrayList<>();

    @AfterEach
    void close() {
        san.close();
    }

    /** A queue pair of raw datagrams, which receives all packets to the routable address of its endnode. */
    private final class RawNode {

        private final Endnode endnode;
        private final QueuePair queuePair;
        private final MemoryRegion memory;
        private final AddressHandle to;
        private final CompletionQueue cq;
        private final CompletionCursor cursor;
        private final Consumer<byte[]> receiver;
        private int sends;

        RawNode(int number, Consumer<byte[]> receiver) {
            this.receiver = receiver;
            endnode = san.open(number, RnicOptions.defaults().withInfiniband(it -> it.withPathMtuBytes(2_048)));
            ProtectionDomain domain = endnode.rnic().allocateProtectionDomain();
            cq = endnode.rnic().createCompletionQueue(4 * SLOTS);
            cursor = cq.cursor();
            queuePair = domain.createQueuePair(QueuePairOptions.of(cq)
                    .withService(TransportService.RAW_DATAGRAM)
                    .withDepths(SLOTS, SLOTS));
            memory = domain.allocate(2L * SLOTS * 2_048, AccessRight.LOCAL_WRITE);
            AddressHandleAttributes path = AddressHandleAttributes.to(gateway);
            queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.INIT));
            queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTR)
                    .withPath(PathAttributes.to(path).withMtuBytes(2_048)));
            queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTS));
            queuePair.steer(OptionalInt.empty(), Optional.of(endnode.routableAddress(0)));
            to = domain.createAddressHandle(path);
            for (int slot = 0; slot < SLOTS; slot++) {
                queuePair.postReceive(slot, memory, slot * 2_048L, 2_048);
            }
            cq.onReady(this::onReady);
            cq.requestNotification(Notification.NEXT);
        }

        private void onReady() {
            while (cursor.next()) {
                assertTrue(cursor.ok(), cursor.reason());
                if (cursor.opcode() == CompletionOpcode.RECEIVE) {
                    int slot = (int) cursor.wrId();
                    byte[] packet = memory.segment()
                            .asSlice(slot * 2_048L, cursor.byteCount())
                            .toArray(JAVA_BYTE);
                    queuePair.postReceive(slot, memory, slot * 2_048L, 2_048);
                    receiver.accept(packet);
                }
            }
            cq.requestNotification(Notification.NEXT);
        }

        void send(byte[] packet) {
            long at = (SLOTS + sends++ % SLOTS) * 2_048L;
            MemorySegment.copy(packet, 0, memory.segment(), JAVA_BYTE, at, packet.length);
            queuePair.post(queuePair
                    .newWorkRequest()
                    .send()
                    .gather(memory, at, packet.length)
                    .flags(WrFlags.SIGNALLED)
                    .to(to, 0, 0));
        }
    }

    private static byte[] echo(InetAddress from, InetAddress to, int bytes, int hopLimit) {
        byte[] packet = new byte[Ipv6Header.LENGTH + 8 + bytes];
        MemorySegment segment = MemorySegment.ofArray(packet);
        Ipv6Header ip = new Ipv6Header().wrap(segment, 0).write(8 + bytes, Ipv6Header.ICMP, hopLimit, 0);
        ByteBuffer.wrap(packet, 8, 32).put(from.getAddress()).put(to.getAddress());
        packet[Ipv6Header.LENGTH] = (byte) ECHO;
        for (int i = 0; i < bytes; i++) {
            packet[Ipv6Header.LENGTH + 8 + i] = (byte) (i * 31);
        }
        long sum = ip.pseudoHeader(Ipv6Header.ICMP, 8 + bytes)
                + InternetChecksum.sum(segment, Ipv6Header.LENGTH, 8 + bytes);
        ByteBuffer.wrap(packet).putShort(Ipv6Header.LENGTH + 2, (short) InternetChecksum.of(sum));
        return packet;
    }

    /** Hosts and routers check that their addresses are unique before they use them. */
    private void settle() {
        san.world().runFor(2 * SECOND_NS);
    }

    @Test
    void t4_echoRequestOfAnEndnode_reachesAHostOfTheLan_andItsReplyReturns() {
        List<byte[]> received = new ArrayList<>();
        RawNode node = new RawNode(0, received::add);
        san.tap((packet, nowNs) -> carried.add(packet));
        settle();
        for (int bytes : new int[] {0, 1, 2, 3, 1_000}) {
            byte[] request = echo(node.endnode.routableAddress(0), HOST, bytes, 64);
            node.send(request);
            san.world().runFor(SECOND_NS / 10);
            byte[] reply = received.removeLast();
            assertEquals(request.length, reply.length);
            assertEquals(ECHO_REPLY, reply[Ipv6Header.LENGTH] & 0xff);
            assertEquals(63, reply[7], "hop limit after one router");
            assertArrayEquals(
                    Arrays.copyOfRange(request, 44, request.length), Arrays.copyOfRange(reply, 44, reply.length));
        }
        assertEquals(10, carried.size());
        for (byte[] packet : carried) {
            Lrh lrh = new Lrh().wrap(MemorySegment.ofArray(packet), 0);
            assertEquals(Lrh.RAW_IPV6, lrh.lnh(), "no header of the transport");
            assertEquals(6, packet[Lrh.LENGTH] >> 4 & 0xf);
        }
        assertEquals(0, san.packetsDroppedAtLans());
        assertEquals(0, san.packetsLost());
    }

    @Test
    void t4_tcpConnectionFromTheLan_toAStackAboveAQueuePair_transfersBothWays() throws Exception {
        PacketTcp[] stack = new PacketTcp[1];
        RawNode node = new RawNode(0, packet -> stack[0].onPacket(packet));
        InetAddress address = node.endnode.routableAddress(0);
        stack[0] = new PacketTcp(san.world(), address, MTU, node::send);
        stack[0].streams()
                .listen(new InetSocketAddress(address, 80), 4, stream -> new Echo(stack[0].streams(), stream));
        settle();
        Client client = new Client(300_000);
        host.streams().connect(new InetSocketAddress(address, 80), client);
        host.wake();
        assertTrue(san.world().runUntil(() -> client.received.size() == 300_000, 60 * SECOND_NS), client.problem);
        for (int i = 0; i < 300_000; i++) {
            assertEquals((byte) (i * 7 + (i >> 8)), client.received.get(i));
        }
        assertEquals(0, san.packetsDroppedAtLans());
    }

    @Test
    void t4_sameSeed_givesTheSameTrace() {
        long[] hashes = new long[2];
        for (int run = 0; run < 2; run++) {
            try (San again = San.of(TopologySpecification.parse("leaf-spine:2x2,hosts=2"), SanSettings.DEFAULT)) {
                Lan network = new Lan(again.world());
                again.lan(GATEWAY, network, ROUTER);
                network.host(HOST, ROUTER);
                again.world().runFor(2 * SECOND_NS);
                hashes[run] = again.traceHash();
            }
        }
        assertEquals(hashes[0], hashes[1]);
    }

    @Test
    void t4_packetsThatMayNotPass_areDropped() {
        List<byte[]> received = new ArrayList<>();
        RawNode node = new RawNode(0, received::add);
        InetAddress own = node.endnode.routableAddress(0);
        settle();
        node.send(echo(own, HOST, 8, 1)); // no hops left
        node.send(echo(own, InetAddress.ofLiteral("fe80::1"), 8, 64)); // link-local
        node.send(echo(own, InetAddress.ofLiteral("ff02::1"), 8, 64)); // multicast
        node.send(echo(own, own, 8, 64)); // back into the fabric
        node.send(echo(InetAddress.ofLiteral("fe80::7"), HOST, 8, 64));
        san.world().runFor(SECOND_NS / 10);
        assertEquals(5, san.packetsDroppedAtLans());
        assertEquals(List.of(), received);
        node.send(echo(own, InetAddress.ofLiteral("fd00:1a::99"), 8, 64)); // no host has this address
        node.send(echo(own, HOST, 8, 64));
        san.world().runFor(SECOND_NS / 10);
        assertEquals(1, received.size());
        assertThrows(IllegalStateException.class, () -> san.open(GATEWAY));
        assertThrows(IllegalStateException.class, () -> san.lan(0, lan, HOST));
    }

    /** Whatever an endnode sends, the router and the LAN survive it, and a valid packet passes afterwards. */
    @Tag(Seeds.TAG)
    @Test
    void t4_randomAndDamagedPackets_areDroppedOrForwarded_andNothingFails() {
        SeededNumbers random = new SeededNumbers(Seeds.one(1));
        List<byte[]> received = new ArrayList<>();
        RawNode node = new RawNode(0, received::add);
        InetAddress own = node.endnode.routableAddress(0);
        LanGateway router = new LanGateway(
                EndnodePorts.of(TopologySpecification.parse("leaf-spine:2x2,hosts=2"), 0),
                Subnets.one(EndnodePorts.of(TopologySpecification.parse("leaf-spine:2x2,hosts=2"), 0)),
                GATEWAY,
                lan,
                InetAddress.ofLiteral("fd00:1a::7"),
                packet -> {});
        settle();
        byte[] valid = RawPacket.of(echo(own, HOST, 100, 64), 1, 4);
        for (int i = 0; i < 5_000; i++) {
            byte[] packet = valid.clone();
            for (int change = random.nextInt(4); change >= 0; change--) {
                packet[random.nextInt(packet.length)] = (byte) random.nextInt(256);
            }
            router.fromFabric(Arrays.copyOf(packet, random.nextInt(packet.length + 1)));
            byte[] resealed = RawPacket.of(Arrays.copyOfRange(packet, 8, packet.length - 2), 1, 4);
            router.fromFabric(resealed);
        }
        san.world().runFor(SECOND_NS);
        received.clear();
        node.send(echo(own, HOST, 8, 64));
        san.world().runFor(SECOND_NS);
        assertEquals(1, received.size());
    }

    /** Sends back what arrives. */
    private static final class Echo implements StreamEvents {

        private final ByteStream stream;
        private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);

        Echo(StreamLoop loop, ByteStream stream) {
            this.stream = stream;
            loop.attach(stream, this);
        }

        @Override
        public void onReadable() {
            try {
                boolean more = true;
                while (more) {
                    int count = stream.read(buffer);
                    buffer.flip();
                    more = stream.write(buffer) > 0 && count > 0;
                    buffer.compact();
                }
                stream.wantWritable(buffer.position() > 0);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void onWritable() {
            onReadable();
        }
    }

    /** Sends bytes and collects what returns. */
    private final class Client implements StreamLoop.ConnectEvents, StreamEvents {

        private final List<Byte> received = new ArrayList<>();
        private final ByteBuffer in = ByteBuffer.allocateDirect(1 << 16);
        private final ByteBuffer out;
        private String problem = "not connected";
        private Optional<ByteStream> stream = Optional.empty();

        Client(int bytes) {
            out = ByteBuffer.allocateDirect(bytes);
            for (int i = 0; i < bytes; i++) {
                out.put((byte) (i * 7 + (i >> 8)));
            }
            out.flip();
        }

        @Override
        public void onConnected(ByteStream connected) {
            problem = "connected";
            stream = Optional.of(connected);
            host.streams().attach(connected, this);
            onWritable();
        }

        @Override
        public void onConnectFailed(boolean refused, String sentence) {
            problem = sentence;
        }

        @Override
        public void onReadable() {
            try {
                while (stream.orElseThrow().read(in.clear()) > 0) {
                    in.flip();
                    while (in.hasRemaining()) {
                        received.add(in.get());
                    }
                }
            } catch (IOException e) {
                problem = e.toString();
            }
        }

        @Override
        public void onWritable() {
            try {
                stream.orElseThrow().write(out);
                stream.orElseThrow().wantWritable(out.hasRemaining());
            } catch (IOException e) {
                problem = e.toString();
            }
        }
    }
}
