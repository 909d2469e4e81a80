package io.verbena.ib;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import io.verbena.memory.Region;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.PathEcho;
import io.verbena.wire.ib.PathEth;
import io.verbena.wire.ib.PathProbe;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Scripts of a connection with several paths: order of placement, refusals, and packets that no correct peer sends. */
class RcPathsTest {

    private static final int MTU = 1024;

    private final RcPair pair = SprayModelTest.pair(2);
    private final RcPair.End a = pair.a;
    private final RcPair.End b = pair.b;
    private final Region from = a.region(64 * MTU);
    private final Region to = b.region(64 * MTU);

    private List<byte[]> sent() {
        a.transmit(pair.nowNs);
        List<byte[]> packets = new ArrayList<>(a.wire);
        a.wire.clear();
        return packets;
    }

    private byte at(int offset) {
        return to.segment().get(JAVA_BYTE, offset);
    }

    private String answer() {
        b.transmit(pair.nowNs);
        return b.wireText().getLast();
    }

    @Test
    void packetsNameTheirPathAndPlace() {
        a.write(1, from, to, 2 * MTU + 1);
        a.transmit(pair.nowNs);
        List<String> lines =
                a.wireText().stream().map(it -> it.replaceAll(" at=0x\\w+", "")).toList();
        assertTrue(lines.get(0).contains("RC_WRITE_FIRST path=0 offset=0 disjoint"), lines::toString);
        assertTrue(lines.get(1).contains("RC_WRITE_MIDDLE path=1 offset=1024 disjoint"), lines::toString);
        assertTrue(lines.get(2).contains("RC_WRITE_LAST path=0 offset=2048 disjoint"), lines::toString);
    }

    @Test
    void anyPacketOfALaterWrite_isPlacedOnArrival_theLastOneInItsTurn() {
        from.segment().fill((byte) 7);
        a.write(1, from, to, MTU);
        a.write(2, from, to.baseAddress() + 2 * MTU, to.rkey(), 3 * MTU);
        List<byte[]> packets = sent();
        for (int i = 3; i > 0; i--) {
            b.receive(packets.get(i), pair.nowNs);
        }
        assertEquals(
                List.of(0, 7, 7, 0), List.of((int) at(0), (int) at(2 * MTU), (int) at(3 * MTU), (int) at(4 * MTU)));
        b.receive(packets.get(0), pair.nowNs);
        assertEquals(7, at(0));
        assertEquals(7, at(5 * MTU - 1));
        pair.run();
        assertEquals(2, a.completions().size());
    }

    @Test
    void laterWriteToTheSameBytes_waitsForTheEarlierOne() {
        from.segment().fill((byte) 1);
        a.write(1, from, to, 3 * MTU);
        List<byte[]> first = sent();
        from.segment().fill((byte) 2);
        a.write(2, from, to.baseAddress() + MTU, to.rkey(), 2 * MTU);
        List<byte[]> second = sent();
        second.forEach(it -> b.receive(it, pair.nowNs));
        assertEquals(0, at(MTU), "not before the earlier Write");
        first.reversed().forEach(it -> b.receive(it, pair.nowNs));
        assertEquals(List.of(1, 2, 2), List.of((int) at(0), (int) at(MTU), (int) at(2 * MTU)));
    }

    @Test
    void duplicateOfACompleteWrite_isAcknowledgedAndNotPlaced() {
        from.segment().fill((byte) 3);
        a.write(1, from, to, 2 * MTU);
        List<byte[]> packets = sent();
        packets.forEach(it -> b.receive(it, pair.nowNs));
        to.segment().fill((byte) 9);
        packets.forEach(it -> b.receive(it, pair.nowNs));
        assertEquals(9, at(0));
        assertEquals(9, at(2 * MTU - 1));
        assertTrue(
                answer().contains("PATH_ACKNOWLEDGE psn=101"),
                () -> b.wireText().toString());
    }

    @Test
    void receiverNotReady_keepsWhatHasArrived() {
        for (int i = 0; i < 3; i++) {
            a.send(i, from, 10);
        }
        List<byte[]> packets = sent();
        b.receive(packets.get(2), pair.nowNs);
        b.receive(packets.get(1), pair.nowNs);
        b.receive(packets.get(0), pair.nowNs);
        assertTrue(answer().contains("RNR NAK"), () -> b.wireText().toString());
        pair.deliver(b, a);
        for (int i = 0; i < 3; i++) {
            b.postReceive(i, to, 64);
        }
        pair.nextDeadline();
        List<byte[]> again = sent();
        assertEquals(1, again.size(), "only the refused one");
        b.receive(again.getFirst(), pair.nowNs);
        assertEquals(3, b.completions().size());
        pair.run();
        assertEquals(3, a.completions().size());
    }

    @Test
    void packetWithAnotherPlaceThanItsMessage_isRefused() {
        a.write(1, from, to, 2 * MTU);
        List<byte[]> packets = sent();
        byte[] moved = packets.get(1);
        new PathEth().wrap(MemorySegment.ofArray(moved), Bth.LENGTH).place(to.baseAddress(), to.rkey(), 8 * MTU);
        b.receive(packets.get(0), pair.nowNs);
        b.receive(moved, pair.nowNs);
        assertTrue(answer().contains("NAK invalid request"), () -> b.wireText().toString());
        assertEquals(0, at(8 * MTU));
    }

    @Test
    void placesOutsideTheRegion_areNotWritten() {
        a.write(1, from, to, 3 * MTU);
        byte[] middle = sent().get(1);
        for (int offset : new int[] {64 * MTU, Integer.MIN_VALUE, -MTU, -1, Integer.MAX_VALUE}) {
            byte[] moved = middle.clone();
            new PathEth()
                    .wrap(MemorySegment.ofArray(moved), Bth.LENGTH)
                    .place(to.baseAddress(), to.rkey(), offset)
                    .disjoint(true);
            RcPair other = SprayModelTest.pair(2);
            Region memory = other.b.region(64 * MTU);
            other.b.receive(moved, other.nowNs);
            assertTrue(other.b.engine.failure().isEmpty());
            assertEquals(-1, memory.segment().mismatch(MemorySegment.ofArray(new byte[64 * MTU])));
        }
    }

    /** An acknowledgement with this echo and map. */
    private static byte[] filled(int psn, int flags, int entropy, int clock, byte[] map) {
        byte[] bytes = Crafted.packet(
                IbOpcode.PATH_ACKNOWLEDGE,
                psn,
                PathEcho.LENGTH + map.length,
                p -> p.aeth().set(31, 0));
        int at = IbOpcode.PATH_ACKNOWLEDGE.headerBytes();
        new PathEcho().wrap(MemorySegment.ofArray(bytes), at).set(flags, entropy, clock);
        System.arraycopy(map, 0, bytes, at + PathEcho.LENGTH, map.length);
        return bytes;
    }

    @Test
    void acknowledgementsThatNoPeerSends_changeNothing() {
        a.write(1, from, to, 4 * MTU);
        List<byte[]> packets = sent();
        byte[] all = new byte[128];
        Arrays.fill(all, (byte) -1);
        List<byte[]> hostile = List.of(
                filled(104, 0, 0, 0, new byte[0]),
                filled(99, 0, 0, 0, new byte[] {8, 0, 0, 0}),
                filled(99, 0xff, 0xffff, -1, all),
                filled(99, 0, 0, 0, new byte[132]),
                filled(99, 0, 0, 0, new byte[3]),
                Crafted.packet(IbOpcode.PATH_ACKNOWLEDGE, 99, 4, p -> p.aeth().set(31, 0)));
        for (byte[] each : hostile) {
            a.receive(each, pair.nowNs);
            assertEquals(List.of(), sent());
        }
        assertTrue(a.completions().isEmpty());
        // Of a path that does not exist, with a clock of the future, but about packets that were sent.
        a.receive(filled(99, 0xff, 0xffff, Integer.MAX_VALUE, new byte[] {7, 0, 0, 0}), pair.nowNs);
        assertEquals(List.of(), sent());
        packets.forEach(it -> b.receive(it, pair.nowNs));
        pair.run();
        assertEquals(List.of("1 WRITE SUCCESS 4096"), a.completions());
    }

    /** The packet without its payload, as a switch with a full queue leaves it. */
    private void trimmed(RcPair.End end, byte[] packet) {
        IbPacket headers = new IbPacket();
        headers.decode(MemorySegment.ofArray(packet), 0, packet.length);
        end.engine.onTrimmed(headers, end.origin);
    }

    @Test
    void trimmedPackets_areSentAgainAtOnce_andOnlyThey() {
        a.write(1, from, to, 6 * MTU);
        List<byte[]> packets = sent();
        b.receive(packets.get(0), pair.nowNs);
        trimmed(b, packets.get(1));
        trimmed(b, packets.get(3));
        b.transmit(pair.nowNs);
        assertEquals(2, b.wire.size(), "one answer for each");
        pair.deliver(b, a);
        List<byte[]> again = sent();
        assertEquals(List.of(101, 103), again.stream().map(RcPathsTest::psn).toList());
        for (int i : new int[] {2, 4, 5}) {
            b.receive(packets.get(i), pair.nowNs);
        }
        again.forEach(it -> b.receive(it, pair.nowNs));
        pair.run();
        assertEquals(List.of("1 WRITE SUCCESS " + 6 * MTU), a.completions());
    }

    private static int psn(byte[] packet) {
        IbPacket headers = new IbPacket();
        headers.decode(MemorySegment.ofArray(packet), 0, packet.length);
        return headers.bth().psn();
    }

    @Test
    void trimmedPacketsOfThePastOrBeyondTheWindow_areNotAnswered() {
        a.write(1, from, to, 2 * MTU);
        List<byte[]> packets = sent();
        b.receive(packets.get(0), pair.nowNs);
        b.transmit(pair.nowNs);
        b.wire.clear();
        trimmed(b, packets.get(0));
        for (int ahead : new int[] {1024, 5_000, 0x7f_ffff, 0xff_fff0}) {
            byte[] far = packets.get(1).clone();
            new Bth().wrap(MemorySegment.ofArray(far), 0).psn(101 + ahead & 0xff_ffff);
            trimmed(b, far);
        }
        b.transmit(pair.nowNs);
        assertEquals(List.of(), b.wireText());
    }

    @Test
    void trimmedPacketsByTheThousand_areAnsweredByNoMoreThanWait() {
        a.write(1, from, to, 40 * MTU);
        List<byte[]> packets = sent();
        for (int i = 0; i < 4_000; i++) {
            trimmed(b, packets.get(i % 40));
        }
        b.transmit(pair.nowNs);
        assertEquals(32, b.wire.size());
        assertTrue(b.wire.stream().allMatch(it -> it.length <= 36));
    }

    @Test
    void reportsOfTrimmedPacketsThatWereNeverSent_changeNothing() {
        a.write(1, from, to, 4 * MTU);
        List<byte[]> packets = sent();
        for (int psn : new int[] {99, 104, 0, -1, 0x0100_0064, Integer.MIN_VALUE}) {
            a.receive(filled(99, PathEcho.TRIMMED, 0, psn, new byte[0]), pair.nowNs);
            assertEquals(List.of(), sent());
        }
        packets.forEach(it -> b.receive(it, pair.nowNs));
        pair.run();
        assertEquals(1, a.completions().size());
    }

    @Test
    void mark_isReportedWithThePathOfTheMarkedPacket() {
        a.write(1, from, to, 4 * MTU);
        List<byte[]> packets = sent();
        b.origin.trafficClass(3);
        b.receive(packets.get(1), pair.nowNs);
        b.origin.trafficClass(2);
        b.receive(packets.get(2), pair.nowNs);
        b.transmit(pair.nowNs);
        PathEcho echo =
                new PathEcho().wrap(MemorySegment.ofArray(b.wire.getLast()), IbOpcode.PATH_ACKNOWLEDGE.headerBytes());
        assertEquals(1, echo.entropy());
        assertEquals(PathEcho.MARKED, echo.flags());
    }

    @Test
    void questions_areAnsweredByAsMuch_andNotMoreThanWait() {
        byte[] question = Crafted.packet(IbOpcode.PATH_PROBE, 0, PathProbe.LENGTH, p -> {});
        new PathProbe()
                .wrap(MemorySegment.ofArray(question), IbOpcode.PATH_PROBE.headerBytes())
                .set(false, 77, 0x1234);
        for (int i = 0; i < 100; i++) {
            b.receive(question, pair.nowNs);
        }
        b.transmit(pair.nowNs);
        assertEquals(17, b.wire.size(), "16 answers, and one acknowledgement");
        assertEquals(question.length, b.wire.getLast().length);
    }

    /** An answer that overtakes the acknowledgement of what came before the question would make it seem lost. */
    @Test
    void question_isAnsweredAfterAnAcknowledgementOnItsPath() {
        a.write(1, from, to, 8 * MTU);
        List<byte[]> packets = sent();
        b.receive(packets.get(1), pair.nowNs);
        b.transmit(pair.nowNs);
        b.wire.clear();
        for (int path : new int[] {0, 0, 1}) {
            byte[] question = Crafted.packet(IbOpcode.PATH_PROBE, 0, PathProbe.LENGTH, p -> {});
            new PathProbe()
                    .wrap(MemorySegment.ofArray(question), IbOpcode.PATH_PROBE.headerBytes())
                    .set(false, path, path);
            b.receive(question, pair.nowNs);
        }
        List<Integer> paths = new ArrayList<>();
        b.list.reset(64, 65_507);
        b.engine.fillTransmit(b.builder, 1 << 16, pair.nowNs);
        for (int i = 0; i < b.list.packets(); i++) {
            paths.add(b.list.path(i).entropy());
        }
        assertEquals(List.of(0, 0, 0, 1, 1), paths, "an acknowledgement and the answers, on each path");
    }

    /** No packet is sent to an address that is not that of the peer, and none of it counts. */
    @Test
    void packetsOfAnotherAddress_areNotAnswered_andChangeNothing() {
        byte[] question = Crafted.packet(IbOpcode.PATH_PROBE, 0, PathProbe.LENGTH, p -> {});
        a.write(1, from, to, 4 * MTU);
        List<byte[]> packets = sent();
        b.origin.source(0, 0xffff_0a00_0063L);
        b.receive(question, pair.nowNs);
        packets.forEach(it -> b.receive(it, pair.nowNs));
        trimmed(b, packets.get(2));
        b.transmit(pair.nowNs);
        assertEquals(List.of(), b.wireText());
        assertEquals(0, at(MTU));
    }

    /** What the address of the peer sends is answered by one acknowledgement, which is at most three times as long. */
    @Tag(Seeds.TAG)
    @Test
    void anyPackets_areAnsweredByNotMuchMore() {
        long seed = Seeds.one(1);
        SplittableRandom random = new SplittableRandom(seed);
        a.write(1, from, to, 1);
        a.write(2, from, to, 20 * MTU);
        List<byte[]> packets = sent();
        long in = 0;
        long out = 0;
        for (int i = 0; i < 5_000; i++) {
            byte[] packet = packets.get(random.nextInt(packets.size())).clone();
            int psn = random.nextBoolean() ? 80 + random.nextInt(1_100) : random.nextInt();
            new Bth().wrap(MemorySegment.ofArray(packet), 0).psn(psn & 0xff_ffff);
            in += packet.length;
            b.receive(packet, pair.nowNs);
            b.transmit(pair.nowNs);
            assertTrue(b.wire.size() <= 1, () -> "seed " + seed + "L: " + b.wireText());
            out += b.wire.stream().mapToLong(it -> it.length).sum();
            b.wire.clear();
        }
        assertTrue(out <= 3 * in, "seed " + seed + "L: " + out + " bytes for " + in);
    }

    @Test
    void probesOfAnIdleConnection_takeOnePathAfterTheOther() {
        StringBuilder paths = new StringBuilder();
        for (int i = 0; i < 4; i++) {
            a.engine.probe();
            String probe = RcPair.text(sent().getFirst());
            paths.append(probe.contains("path=0") ? 0 : 1);
        }
        assertEquals("1010", paths.toString());
    }

    @Test
    void connectionWithoutTheOption_ignoresItsPackets_andTheReverse() {
        a.write(1, from, to, MTU);
        byte[] sprayed = sent().getFirst();
        RcPair plain = RcPair.plain();
        plain.b.receive(sprayed, plain.nowNs);
        plain.b.transmit(plain.nowNs);
        assertEquals(List.of(), plain.b.wireText());
        Region source = plain.a.region(64);
        plain.a.send(1, source, 4);
        plain.a.transmit(plain.nowNs);
        b.receive(plain.a.wire.getFirst(), pair.nowNs);
        b.transmit(pair.nowNs);
        assertEquals(List.of(), b.wireText());
    }
}
