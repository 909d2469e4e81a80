package io.verbena.host.socket;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.PacketPath;
import io.verbena.host.PacketProbe;
import io.verbena.host.Until;
import io.verbena.host.engine.EngineLoop;
import io.verbena.port.Addresses;
import io.verbena.port.PacketBatch;
import io.verbena.port.PacketSender;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the packet ports of both kinds of loop do alike. */
public abstract class UdpPortTest {

    public EngineLoop left;
    public EngineLoop right;

    public abstract EngineLoop open() throws IOException;

    @BeforeEach
    void openBoth() throws IOException {
        left = open();
        right = open();
        left.own();
        right.own();
    }

    @AfterEach
    void close() throws IOException {
        left.close();
        right.close();
    }

    protected void pollBoth() {
        left.poll();
        right.poll();
    }

    public static byte[] bytes(int length, int seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    @Test
    void send_onePacket_arrivesWithSource() throws IOException {
        for (String host : List.of("127.0.0.1", "127.0.0.2", "::1")) {
            PacketProbe sender = new PacketProbe(left, host);
            PacketProbe receiver = new PacketProbe(right, host);
            byte[] sent = bytes(24, 1);
            assertEquals(1, sender.send(sender.pathTo(receiver, 0), sent));
            Until.holds("received", () -> receiver.received.size() == 1, this::pollBoth);
            assertArrayEquals(sent, receiver.received.getFirst());
            assertEquals(sender.port.localAddress(), receiver.sources.getFirst());
            assertEquals("", receiver.groups.getFirst());
        }
    }

    @Test
    void send_manyLengths_arriveInOrderAndWhole() throws IOException {
        PacketProbe sender = new PacketProbe(left, "127.0.0.1");
        PacketProbe receiver = new PacketProbe(right, "127.0.0.1");
        PacketPath path = sender.pathTo(receiver, 0);
        List<byte[]> sent = new ArrayList<>();
        Random random = new Random(7);
        for (int round = 0; round < 20; round++) {
            sender.begin();
            int length = 1 + random.nextInt(4112);
            for (int i = 0; i < 40; i++) {
                if (random.nextInt(8) == 0) {
                    length = 1 + random.nextInt(4112);
                }
                byte[] packet = bytes(length, round * 100 + i);
                sent.add(packet);
                sender.add(path, packet);
            }
            assertEquals(40, sender.port.send(sender.list, 0));
            int all = sent.size();
            Until.holds("received " + all, () -> receiver.received.size() == all, this::pollBoth);
        }
        for (int i = 0; i < sent.size(); i++) {
            assertArrayEquals(sent.get(i), receiver.received.get(i), "packet " + i);
        }
    }

    @Test
    void send_toSeveralDestinations_eachGetsItsOwn() throws IOException {
        PacketProbe sender = new PacketProbe(left, "127.0.0.1");
        PacketProbe one = new PacketProbe(right, "127.0.0.1");
        PacketProbe other = new PacketProbe(right, "127.0.0.3");
        PacketPath toOne = sender.pathTo(one, 0);
        PacketPath toOther = sender.pathTo(other, 0);
        sender.begin();
        for (int i = 0; i < 30; i++) {
            sender.add(i % 3 == 0 ? toOther : toOne, new byte[] {(byte) i, 1, 2, 3});
        }
        assertEquals(30, sender.port.send(sender.list, 0));
        Until.holds("received", () -> one.received.size() + other.received.size() == 30, this::pollBoth);
        assertEquals(10, other.received.size());
        for (int i = 0; i < 10; i++) {
            assertEquals(3 * i, other.received.get(i)[0]);
        }
    }

    @Test
    void receive_datagramsOfAnyLength_areWhole() throws IOException {
        PacketProbe receiver = new PacketProbe(right, "127.0.0.1");
        InetSocketAddress to = receiver.port.localAddress();
        int[] lengths = {65_507, 0, 1, 65_506, 0, 4096, 65_507, 2};
        try (DatagramSocket stranger = new DatagramSocket()) {
            for (int length : lengths) {
                stranger.send(new DatagramPacket(bytes(length, length), length, to));
            }
            stranger.send(new DatagramPacket(new byte[] {1, 2, 3}, 3, to));
        }
        Until.holds("received", () -> receiver.received.size() == 7, this::pollBoth);
        List<Integer> got = receiver.received.stream().map(each -> each.length).toList();
        assertEquals(List.of(65_507, 1, 65_506, 4096, 65_507, 2, 3), got, "a datagram without bytes is no packet");
        for (byte[] each : receiver.received.subList(0, 6)) {
            assertArrayEquals(bytes(each.length, each.length), each);
        }
    }

    @Test
    void receive_intoASmallOrFilledBatch_isRejected() throws IOException {
        PacketProbe receiver = new PacketProbe(right, "127.0.0.1");
        assertThrows(IllegalArgumentException.class, () -> receiver.port.receive(new PacketBatch(2048, 512)));
        assertThrows(IllegalArgumentException.class, () -> receiver.port.receive(new PacketBatch(1 << 20, 16)));
    }

    @Test
    void onReadable_whilePacketsAreLeft_isReportedAgain() throws IOException {
        PacketProbe sender = new PacketProbe(left, "127.0.0.1");
        PacketProbe receiver = new PacketProbe(right, "127.0.0.1");
        receiver.paused = true;
        sender.send(sender.pathTo(receiver, 0), (byte) 1);
        for (int i = 0; i < 200; i++) {
            pollBoth();
        }
        assertTrue(receiver.received.isEmpty());
        receiver.paused = false;
        Until.holds("received", () -> !receiver.received.isEmpty(), this::pollBoth);
    }

    @Test
    void select_packetArrives_endsTheWait() throws IOException {
        PacketProbe sender = new PacketProbe(left, "127.0.0.1");
        PacketProbe receiver = new PacketProbe(right, "127.0.0.1");
        PacketPath path = sender.pathTo(receiver, 0);
        for (int i = 0; i < 2000; i++) { // long enough that the port is read without the system
            int next = i + 1;
            sender.send(path, (byte) i);
            Until.holds("received", () -> receiver.received.size() == next, this::pollBoth);
        }
        sender.send(path, (byte) 1);
        assertTrue(right.select(10_000_000_000L) > 0);
        Until.holds("received", () -> receiver.received.size() == 2001, this::pollBoth);
    }

    @Test
    void send_toUnusablePath_isReportedAndTheRestIsSent() throws IOException {
        PacketProbe sender = new PacketProbe(left, "127.0.0.1");
        PacketProbe receiver = new PacketProbe(right, "127.0.0.1");
        sender.begin();
        sender.add(Addresses.path(new InetSocketAddress(InetAddress.ofLiteral("fd00::77"), 4791), 0), bytes(100, 1));
        sender.add(Addresses.path(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 0), bytes(100, 1));
        sender.add(sender.pathTo(receiver, 0), bytes(100, 2));
        assertEquals(3, sender.port.send(sender.list, 0));
        assertTrue(sender.unreachable.isEmpty(), "not within the call");
        Until.holds("received", () -> receiver.received.size() == 1, this::pollBoth);
        assertEquals(
                List.of(
                        new InetSocketAddress(InetAddress.ofLiteral("fd00::77"), 4791),
                        new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0)),
                sender.unreachable);
    }

    @Test
    void send_tooLongForOneDatagram_isReportedAndTheRestIsSent() throws IOException {
        PacketProbe sender = new PacketProbe(left, "127.0.0.1");
        PacketProbe receiver = new PacketProbe(right, "127.0.0.1");
        PacketPath path = sender.pathTo(receiver, 0);
        sender.begin();
        sender.add(path, bytes(65_508, 1));
        sender.add(path, bytes(9, 2));
        assertEquals(2, sender.port.send(sender.list, 0));
        Until.holds("received", () -> receiver.received.size() == 1, this::pollBoth);
        assertEquals(List.of(receiver.port.localAddress()), List.copyOf(java.util.Set.copyOf(sender.unreachable)));
    }

    @Test
    void join_group_receivesItsPacketsUntilItIsLeft() throws IOException {
        for (String host : List.of("127.0.0.1", "127.0.0.2")) {
            PacketProbe sender = new PacketProbe(left, host);
            PacketProbe receiver = new PacketProbe(
                    right,
                    new InetSocketAddress(
                            InetAddress.ofLiteral("127.0.0.3"),
                            sender.port.localAddress().getPort()));
            InetAddress group = InetAddress.ofLiteral("239.77.1.2");
            PacketPath path = Addresses.path(
                    new InetSocketAddress(group, receiver.port.localAddress().getPort()), 0);
            receiver.port.join(group);
            receiver.port.join(group);
            sender.send(path, (byte) 7);
            Until.holds("received", () -> receiver.received.size() == 1, this::pollBoth);
            assertEquals("239.77.1.2", receiver.groups.getFirst());
            assertEquals(sender.port.localAddress(), receiver.sources.getFirst());
            sender.send(path, (byte) 5);
            sender.send(path, (byte) 6);
            Until.holds("received", () -> receiver.received.getLast()[0] == 6, this::pollBoth);
            assertEquals(3, receiver.received.size(), "a group that is joined twice is joined once");
            receiver.port.leave(group);
            receiver.port.leave(group);
            sender.send(path, (byte) 8);
            sender.send(sender.pathTo(receiver, 0), (byte) 9);
            Until.holds("received", () -> receiver.received.size() == 4, this::pollBoth);
            assertEquals(9, receiver.received.get(3)[0]);
            assertEquals("", receiver.groups.get(3));
            assertThrows(IllegalArgumentException.class, () -> receiver.port.join(InetAddress.ofLiteral("127.0.0.1")));
            sender.port.close();
            receiver.port.close();
        }
    }

    @Test
    void open_addressInUse_throws_untilTheOtherIsClosed() throws IOException {
        PacketProbe first = new PacketProbe(left, "127.0.0.2");
        InetSocketAddress address = first.port.localAddress();
        assertThrows(IOException.class, () -> new PacketProbe(right, address));
        first.port.close();
        first.port.close();
        PacketProbe second = new PacketProbe(right, address);
        assertEquals(address, second.port.localAddress());
        assertThrows(IOException.class, () -> first.send(first.pathTo(second, 0), (byte) 1));
        assertThrows(IOException.class, () -> first.port.receive(first.batch));
        first.port.wantWritable(true);
    }

    @Test
    void closed_everyUse_throws_andItsGroupsAreLeft() throws IOException {
        PacketProbe sender = new PacketProbe(left, "127.0.0.1");
        InetSocketAddress local = new InetSocketAddress(
                InetAddress.ofLiteral("127.0.0.3"), sender.port.localAddress().getPort());
        PacketProbe closed = new PacketProbe(right, local);
        InetAddress group = InetAddress.ofLiteral("239.77.1.3");
        closed.port.join(group);
        PacketPath path = Addresses.path(new InetSocketAddress(group, local.getPort()), 0);
        closed.port.close();
        assertThrows(ClosedChannelException.class, () -> closed.port.join(group));
        assertThrows(ClosedChannelException.class, () -> closed.port.share(listener -> {}));
        closed.begin();
        assertThrows(ClosedChannelException.class, () -> closed.port.send(closed.list, 0));
        closed.port.leave(group);
        // Its address and its membership are free.
        PacketProbe next = new PacketProbe(right, local);
        sender.send(path, (byte) 1);
        sender.send(sender.pathTo(next, 0), (byte) 2);
        Until.holds("received", () -> !next.received.isEmpty(), this::pollBoth);
        assertEquals(2, next.received.getFirst()[0]);
        next.port.join(group);
        sender.send(path, (byte) 3);
        Until.holds("received", () -> next.received.size() == 2, this::pollBoth);
        assertEquals(List.of(), closed.received);
    }

    @Test
    void join_atTheWildcardAddress_throws() throws IOException {
        PacketProbe wildcard = new PacketProbe(left, "0.0.0.0");
        assertThrows(IOException.class, () -> wildcard.port.join(InetAddress.ofLiteral("239.77.1.4")));
        PacketProbe sender = new PacketProbe(right, "127.0.0.1");
        InetSocketAddress to = new InetSocketAddress(
                InetAddress.ofLiteral("127.0.0.1"), wildcard.port.localAddress().getPort());
        sender.send(Addresses.path(to, 0), (byte) 1);
        Until.holds("received", () -> wildcard.received.size() == 1, this::pollBoth);
    }

    @Test
    void sharedSender_sendsFromTheAddressOfThePort() throws IOException {
        PacketProbe owner = new PacketProbe(left, "127.0.0.1");
        PacketProbe receiver = new PacketProbe(right, "127.0.0.1");
        PacketSender shared = owner.port.share(listener -> {});
        owner.begin();
        owner.add(owner.pathTo(receiver, 0), new byte[] {5});
        assertEquals(1, shared.send(owner.list, 0));
        Until.holds("received", () -> receiver.received.size() == 1, this::pollBoth);
        assertEquals(owner.port.localAddress(), receiver.sources.getFirst());
    }

    @Test
    void open_unusableAddress_throws() {
        assertThrows(IOException.class, () -> new PacketProbe(left, "192.0.2.99"));
        assertThrows(
                IOException.class,
                () -> new PacketProbe(left, InetSocketAddress.createUnresolved("no.such.host.example", 1)));
    }

    @Test
    void wantWritable_isReportedOnlyWhileWanted() throws IOException {
        PacketProbe sender = new PacketProbe(left, "127.0.0.1");
        for (int i = 0; i < 50; i++) {
            pollBoth();
        }
        assertEquals(0, sender.writable);
        sender.port.wantWritable(true);
        Until.holds("writable", () -> sender.writable > 0, this::pollBoth);
        sender.port.wantWritable(false);
        int before = sender.writable;
        for (int i = 0; i < 50; i++) {
            pollBoth();
        }
        assertEquals(before, sender.writable);
    }

    @Test
    void receiveBufferBytes_isWhatTheSystemGrants() throws IOException {
        PacketProbe receiver = new PacketProbe(right, "127.0.0.1");
        int buffer = receiver.port.receiveBufferBytes();
        assertTrue(buffer >= 64 * 1024, "buffer: " + buffer);
        PacketProbe sender = new PacketProbe(left, "127.0.0.1");
        PacketPath path = sender.pathTo(receiver, 0);
        for (int sent = 0; sent < 4 * buffer; sent += 4096) {
            sender.send(path, bytes(4096, 1));
        }
        int before = -1;
        while (before != receiver.received.size()) {
            before = receiver.received.size();
            pollBoth();
        }
        // The system accounts for more than the payload, and drops what exceeds the buffer.
        assertTrue((long) before * 4096 <= buffer, before + " packets in " + buffer);
        assertTrue((long) before * 4096 >= buffer / 4, before + " packets in " + buffer);
        assertFalse(receiver.received.isEmpty());
    }

    @Test
    void close_withinAnEvent_noEventFollows() throws IOException {
        PacketProbe sender = new PacketProbe(left, "127.0.0.1");
        PacketProbe[] receiver = new PacketProbe[1];
        int[] events = {0};
        var port = right.open(
                new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), new io.verbena.port.PacketEvents() {
                    @Override
                    public void onReadable() {
                        events[0]++;
                        receiver[0].port.close();
                    }

                    @Override
                    public void onWritable() {
                        events[0]++;
                    }

                    @Override
                    public void onUnreachable(InetSocketAddress destination) {
                        events[0]++;
                    }
                });
        PacketProbe other = new PacketProbe(right, "127.0.0.1");
        receiver[0] = other;
        sender.send(Addresses.path(port.localAddress(), 0), (byte) 1);
        sender.send(sender.pathTo(other, 0), (byte) 1);
        Until.holds("closed", () -> events[0] > 0, this::pollBoth);
        port.close();
        int before = events[0];
        int received = other.received.size();
        sender.send(Addresses.path(port.localAddress(), 0), (byte) 1);
        for (int i = 0; i < 100; i++) {
            pollBoth();
        }
        assertEquals(before, events[0]);
        assertEquals(received, other.received.size());
    }
}
