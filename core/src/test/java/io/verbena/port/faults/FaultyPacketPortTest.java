package io.verbena.port.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.PacketList;
import io.verbena.port.Addresses;
import io.verbena.port.PacketBatch;
import io.verbena.port.PacketEvents;
import io.verbena.port.PacketPort;
import io.verbena.port.PacketSender;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class FaultyPacketPortTest {

    private static final int PACKETS = 4000;
    private static final int LENGTH = 64;

    /** A port to which numbered packets come. */
    private static final class Source implements PacketPort {
        int next;

        @Override
        public PacketSender share(Consumer<InetSocketAddress> unreachable) {
            return this;
        }

        @Override
        public InetSocketAddress localAddress() {
            return new InetSocketAddress(InetAddress.ofLiteral("10.0.0.1"), 1);
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
        public boolean showsTrafficClass() {
            return true;
        }

        @Override
        public int receiveBufferBytes() {
            return 1 << 20;
        }

        @Override
        public int send(PacketList list, int from) {
            return list.packets();
        }

        @Override
        public int receive(PacketBatch batch) {
            while (next < PACKETS && batch.fits(LENGTH)) {
                batch.slab().segment().asSlice(batch.used(), LENGTH).fill((byte) 0);
                batch.slab().segment().set(ValueLayout.JAVA_INT_UNALIGNED, batch.used(), next);
                batch.add(LENGTH, 0, 0xffff_0a00_0002L, 4791, 2, next++ & 7);
            }
            return batch.packets();
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

    private static final class Silent implements PacketEvents {
        @Override
        public void onReadable() {}

        @Override
        public void onWritable() {}

        @Override
        public void onUnreachable(InetSocketAddress destination) {}
    }

    /** Receives all packets, letting time go on; what arrived, in order, -1 for a damaged one. */
    private static List<Integer> run(PacketFaults plan, long seed) throws IOException {
        Silent events = new Silent();
        long[] draws = {seed};
        FaultyPacketLoop loop = new FaultyPacketLoop((local, owner) -> new Source(), plan, () -> draws[0]++, 0);
        PacketPort port = loop.open(new InetSocketAddress(0), events);
        PacketBatch batch = new PacketBatch(64 * 1024, 100);
        List<Integer> seen = new ArrayList<>();
        long nowNs = Long.MAX_VALUE - 500_000;
        int quiet = 0;
        while (quiet < 3) {
            loop.turn(nowNs);
            batch.reset();
            port.receive(batch);
            for (int i = 0; i < batch.packets(); i++) {
                seen.add(number(batch, i));
                assertEquals(4791, batch.sourcePort(i));
                assertEquals(2, batch.trafficClass(i));
            }
            quiet = batch.packets() == 0 ? quiet + 1 : 0;
            nowNs += 1_000_000;
        }
        assertEquals(FaultyPacketLoop.NEVER, loop.nextDeadlineNs());
        return seen;
    }

    private static int number(PacketBatch batch, int packet) {
        var bytes = batch.slab().segment().asSlice(batch.offset(packet), batch.length(packet));
        int number = bytes.get(ValueLayout.JAVA_INT_UNALIGNED, 0);
        for (int i = 4; i < LENGTH; i++) {
            if (bytes.get(ValueLayout.JAVA_BYTE, i) != 0) {
                return -1;
            }
        }
        return number >= 0 && number < PACKETS ? number : -1;
    }

    @Test
    void none_everyPacketComesOnceAndInOrder() throws IOException {
        List<Integer> seen = run(PacketFaults.none(), 1);
        for (int i = 0; i < PACKETS; i++) {
            assertEquals(i, seen.get(i));
        }
        assertEquals(PACKETS, seen.size());
    }

    @Test
    void sourceOfAPacket_isAnAddress() {
        PacketBatch batch = new PacketBatch(100, 2);
        batch.add(10, 0, 0xffff_0a00_0002L, 4791, 0, 0);
        batch.add(10, 0x2001_0db8_0000_0000L, 1, 4791, 0, 0);
        assertEquals(new InetSocketAddress(InetAddress.ofLiteral("10.0.0.2"), 4791), batch.source(0));
        InetSocketAddress six = new InetSocketAddress(InetAddress.ofLiteral("2001:db8::1"), 4791);
        assertEquals(six, batch.source(1));
        assertEquals(0x2001_0db8_0000_0000L, Addresses.path(six, 0).addressHigh());
        assertEquals(1, Addresses.path(six, 0).addressLow());
        assertEquals(0xffff_0a00_0002L, Addresses.path(batch.source(0), 0).addressLow());
    }

    @Test
    void loss_takesTheShareThatWasAskedFor() throws IOException {
        int lost = PACKETS - run(PacketFaults.none().withLoss(10), 2).size();
        assertTrue(lost > 300 && lost < 500, lost + " of " + PACKETS);
    }

    @Test
    void duplicates_comeTwice() throws IOException {
        int more = run(PacketFaults.none().withDuplicates(10), 3).size() - PACKETS;
        assertTrue(more > 300 && more < 500, "" + more);
    }

    @Test
    void flips_damageOneBit() throws IOException {
        long damaged = run(PacketFaults.none().withFlips(10), 4).stream()
                .filter(each -> each < 0)
                .count();
        assertTrue(damaged > 250 && damaged < 500, "" + damaged);
    }

    @Test
    void holds_letLaterPacketsPassAndLoseNone() throws IOException {
        List<Integer> seen = run(PacketFaults.none().withHolds(10, 5_000_000), 5);
        assertEquals(PACKETS, seen.size());
        int early = 0;
        for (int i = 1; i < seen.size(); i++) {
            if (seen.get(i) < seen.get(i - 1)) {
                early++;
            }
        }
        assertTrue(early > 50, "packets that were passed: " + early);
        assertEquals(PACKETS, seen.stream().distinct().count());
    }

    @Test
    void sameSeed_sameFate_otherSeed_otherFate() throws IOException {
        PacketFaults plan = PacketFaults.none().withLoss(5).withDuplicates(7).withFlips(9);
        assertEquals(run(plan, 6), run(plan, 6));
        assertNotEquals(run(plan, 6), run(plan, 7));
    }

    @Test
    void outages_loseEveryPacketForTheirTime_againAndAgain() throws IOException {
        long[] nowNs = {Long.MAX_VALUE - 500_000};
        PacketFaults plan = PacketFaults.none().withOutages(100L * LENGTH, 2_000_000);
        FaultyPacketLoop loop = new FaultyPacketLoop((local, owner) -> new Source(), plan, () -> 1, nowNs[0]);
        PacketPort port = loop.open(new InetSocketAddress(0), new Silent());
        PacketBatch batch = new PacketBatch(64 * 1024, 100);
        int[] arrived = new int[40];
        for (int i = 0; i < arrived.length; i++) {
            loop.turn(nowNs[0]);
            batch.reset();
            arrived[i] = port.receive(batch);
            nowNs[0] += 1_000_000;
        }
        int lostCalls = (int) Arrays.stream(arrived).filter(count -> count == 0).count();
        assertTrue(lostCalls > 3 && lostCalls < arrived.length - 3, () -> Arrays.toString(arrived));
        assertTrue(arrived[0] > 0);
    }
}
