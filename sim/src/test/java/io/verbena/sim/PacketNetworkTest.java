package io.verbena.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.PacketList;
import io.verbena.base.PacketPath;
import io.verbena.port.Addresses;
import io.verbena.port.PacketBatch;
import io.verbena.port.PacketEvents;
import io.verbena.port.PacketPort;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PacketNetworkTest {

    private static final long SECOND = 1_000_000_000L;

    /** A port with the packets that it received. */
    private static final class Station implements PacketEvents {
        final VirtualHost host;
        final PacketPort port;
        final List<Integer> numbers = new ArrayList<>();
        final List<Integer> classes = new ArrayList<>();
        final List<InetSocketAddress> sources = new ArrayList<>();
        final List<InetSocketAddress> unreachable = new ArrayList<>();
        final PacketBatch batch = new PacketBatch(64 * 1024, 16);

        Station(World world) throws IOException {
            host = world.addHost(RnicOptions.defaults());
            port = host.packets(0).open(host.address(4791), this);
        }

        @Override
        public void onReadable() {
            try {
                batch.reset();
                port.receive(batch);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            for (int i = 0; i < batch.packets(); i++) {
                numbers.add(batch.slab().segment().get(ValueLayout.JAVA_INT_UNALIGNED, batch.offset(i)));
                classes.add(batch.trafficClass(i));
                sources.add(batch.source(i));
            }
        }

        @Override
        public void onWritable() {}

        @Override
        public void onUnreachable(InetSocketAddress destination) {
            unreachable.add(destination);
        }

        /** Sends numbered packets, in the engine's thread. */
        void send(World world, PacketPath to, int first, int count, int length) {
            world.after(
                    0,
                    () -> host.driver(0).enter(() -> {
                        PacketList list = new PacketList(64 * 1024);
                        list.reset(port.groupPackets(), port.groupBytes());
                        for (int i = 0; i < count; i++) {
                            list.slab().segment().set(ValueLayout.JAVA_INT_UNALIGNED, list.reserve(length), first + i);
                            list.endPacket(to, i);
                        }
                        try {
                            assertEquals(count, port.send(list, 0));
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    }));
            world.runFor(SECOND);
        }
    }

    private static PacketPath path(Station to, int trafficClass) {
        return Addresses.path(to.host.address(4791), trafficClass);
    }

    @Test
    void calm_packetsComeOnceInOrderWithSourceAndClass() throws IOException {
        try (World world = new World(1)) {
            Station a = new Station(world);
            Station b = new Station(world);
            a.send(world, path(b, PacketPath.ECT_0), 0, 50, 1000);
            assertEquals(50, b.numbers.size());
            for (int i = 0; i < 50; i++) {
                assertEquals(i, b.numbers.get(i));
                assertEquals(a.host.address(4791), b.sources.get(i));
                assertEquals(PacketPath.ECT_0, b.classes.get(i));
            }
        }
    }

    @Test
    void lossDuplicatesReordering_haveTheirShares() throws IOException {
        try (World world = new World(2)) {
            Station a = new Station(world);
            Station b = new Station(world);
            world.packets()
                    .plan(PacketPlan.calm().withLoss(10).withDuplicates(20).withReordering(5));
            for (int i = 0; i < 100; i++) {
                a.send(world, path(b, 0), i * 20, 20, 100);
            }
            long distinct = b.numbers.stream().distinct().count();
            assertTrue(distinct > 1700 && distinct < 1880, distinct + " of 2000 arrived");
            assertTrue(b.numbers.size() - distinct > 40, "some arrived twice");
            assertNotEquals(b.numbers.stream().sorted().toList(), b.numbers, "some were passed");
        }
    }

    @Test
    void fullBuffer_dropsAndMarks() throws IOException {
        try (World world = new World(3)) {
            Station a = new Station(world);
            Station b = new Station(world);
            world.packets()
                    .plan(PacketPlan.calm()
                            .withBuffer(20_000)
                            .withMarksAt(5_000)
                            .withDelays(1_000, 1_000));
            a.send(world, path(b, PacketPath.ECT_0), 0, 50, 1000);
            assertTrue(b.numbers.size() < 50, "50 packets do not fit into 20,000 bytes: " + b.numbers.size());
            assertTrue(b.classes.contains(PacketPath.CONGESTION_EXPERIENCED));
            assertTrue(b.classes.contains(PacketPath.ECT_0));
            assertEquals(50, world.packets().sent());
            assertEquals(b.numbers.size(), world.packets().delivered());
        }
    }

    @Test
    void partition_losesEverythingUntilItHeals() throws IOException {
        try (World world = new World(4)) {
            Station a = new Station(world);
            Station b = new Station(world);
            world.packets().partition(a.host.inetAddress(), b.host.inetAddress());
            a.send(world, path(b, 0), 0, 5, 100);
            assertEquals(List.of(), b.numbers);
            world.packets().heal();
            a.send(world, path(b, 0), 5, 5, 100);
            assertEquals(List.of(5, 6, 7, 8, 9), b.numbers);
        }
    }

    @Test
    void closedPort_isReportedAsUnreachable() throws IOException {
        try (World world = new World(5)) {
            Station a = new Station(world);
            Station b = new Station(world);
            b.port.close();
            a.send(world, path(b, 0), 0, 1, 100);
            assertEquals(List.of(b.host.address(4791)), a.unreachable);
        }
    }

    @Test
    void multicast_reachesMembersOnly() throws IOException {
        try (World world = new World(6)) {
            Station a = new Station(world);
            Station b = new Station(world);
            Station c = new Station(world);
            InetAddress group = InetAddress.ofLiteral("239.1.1.1");
            b.port.join(group);
            b.port.join(group);
            PacketPath to = Addresses.path(new InetSocketAddress(group, 4791), 0);
            a.send(world, to, 0, 2, 100);
            assertEquals(List.of(0, 1), b.numbers);
            assertEquals(List.of(), c.numbers);
            b.port.leave(group);
            a.send(world, to, 2, 2, 100);
            assertEquals(List.of(0, 1), b.numbers);
        }
    }

    @Test
    void addressInUse_isRefusedUntilItIsClosed() throws IOException {
        try (World world = new World(7)) {
            Station a = new Station(world);
            assertThrows(BindException.class, () -> a.host.packets(0).open(a.host.address(4791), a));
            a.port.close();
            a.host.packets(0).open(a.host.address(4791), a);
        }
    }

    @Test
    void sameSeed_sameTrace() throws IOException {
        long[] hashes = new long[3];
        long[] seeds = {8, 8, 9};
        for (int run = 0; run < 3; run++) {
            try (World world = new World(seeds[run])) {
                Station a = new Station(world);
                Station b = new Station(world);
                world.packets().plan(PacketPlan.calm().withLoss(3).withReordering(3));
                a.send(world, path(b, 0), 0, 40, 100);
                hashes[run] = world.traceHash() + b.numbers.hashCode();
            }
        }
        assertEquals(hashes[0], hashes[1]);
        assertNotEquals(hashes[0], hashes[2]);
    }
}
