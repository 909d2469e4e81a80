package io.verbena.ib.unreliable;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.PacketPath;
import io.verbena.fixture.Seeds;
import io.verbena.ib.Crafted;
import io.verbena.ib.Station;
import io.verbena.ib.packet.MulticastGroups;
import io.verbena.ib.settings.SettingsBuilder;
import io.verbena.ib.settings.UcSettings;
import io.verbena.ib.settings.UdSettings;
import io.verbena.memory.Region;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbPacket;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The numbered wire cases of unreliable connections and datagrams, and other guarantees of their engines. */
class UnreliableCasesTest {

    private static final int P = 100;
    private static final int Q_KEY = 0x1111_1111;
    private static final PacketPath PEER = new PacketPath(0, Station.ADDRESS + 2, 4791, 0);

    private final AddressHandles handles = new AddressHandles(4);
    private final int peer = handles.add(PEER);

    private static UcSettings settings(int local, int remote, int send, int receive) {
        return new SettingsBuilder()
                .local(local)
                .remote(remote)
                .firstPsns(send, receive)
                .unreliableConnection();
    }

    private static SettingsBuilder datagramSettings() {
        return new SettingsBuilder().local(0x33).firstPsns(7, 0).qKey(Q_KEY);
    }

    private static Station<UcEngine> connection() {
        Station<UcEngine> station = new Station<>(0x22, work -> new UcEngine(settings(0x22, 0x11, 900, P), work, PEER));
        station.engine.readyToSend();
        return station;
    }

    private Station<UdEngine> datagrams() {
        Station<UdEngine> station =
                new Station<>(0x33, work -> new UdEngine(datagramSettings().datagram(), work, handles));
        station.engine.readyToSend();
        return station;
    }

    private static byte[] send(IbOpcode opcode, int psn, int bytes) {
        return Crafted.packet(opcode, psn, bytes, p -> {});
    }

    @TestFactory
    Stream<DynamicTest> unreliableConnections() {
        return Stream.of(
                ibCase(63, "a message without its middle is dropped, its receive is used for the next one", () -> {
                    Station<UcEngine> s = connection();
                    s.postReceive(7, s.region(4096), 4096);
                    s.receive(send(IbOpcode.UC_SEND_FIRST, P, 1024), 5);
                    s.receive(send(IbOpcode.UC_SEND_LAST, P + 2, 4), 5);
                    assertEquals(List.of(), s.completions());
                    s.receive(send(IbOpcode.UC_SEND_ONLY, P + 3, 4), 5);
                    assertEquals(List.of("7 RECEIVE SUCCESS 4"), s.completions());
                    assertEquals(1, s.engine.dropped());
                    assertEquals(List.of(), s.sent(5), "the peer receives no answer");
                }),
                ibCase(64, "ONLY with any PSN is delivered", () -> {
                    Station<UcEngine> s = connection();
                    Region memory = s.region(64);
                    s.postReceive(1, memory, 64);
                    s.postReceive(2, memory, 64);
                    s.receive(send(IbOpcode.UC_SEND_ONLY, 0x654321, 4), 5);
                    s.receive(send(IbOpcode.UC_SEND_ONLY, 0x654322, 4), 5);
                    assertEquals(List.of("1 RECEIVE SUCCESS 4", "2 RECEIVE SUCCESS 4"), s.completions());
                }),
                ibCase(65, "a Write without its end: the bytes that arrived remain in memory", () -> {
                    Station<UcEngine> s = connection();
                    Region memory = s.region(4096);
                    s.receive(
                            Crafted.withReth(
                                    IbOpcode.UC_WRITE_FIRST, P, 1024, memory.baseAddress(), memory.rkey(), 2048),
                            5);
                    assertEquals((byte) (P * 7 + 5), memory.segment().get(JAVA_BYTE, 5));
                    assertEquals(List.of(), s.sent(5));
                    assertEquals(List.of(), s.completions());
                }),
                ibCase(66, "no receive: dropped, the next message works", () -> {
                    Station<UcEngine> s = connection();
                    s.receive(send(IbOpcode.UC_SEND_FIRST, P, 1024), 5);
                    s.postReceive(7, s.region(4096), 4096);
                    s.receive(send(IbOpcode.UC_SEND_LAST, P + 1, 4), 5);
                    assertEquals(List.of(), s.completions());
                    s.receive(send(IbOpcode.UC_SEND_ONLY, P + 2, 4), 5);
                    assertEquals(List.of("7 RECEIVE SUCCESS 4"), s.completions());
                }));
    }

    @TestFactory
    Stream<DynamicTest> datagramCases() {
        return Stream.of(
                ibCase(67, "40 bytes precede the payload, and the completion contains the sender", () -> {
                    Station<UdEngine> s = datagrams();
                    Region memory = s.region(128);
                    s.postReceive(7, memory, 128);
                    s.receive(datagram(IbOpcode.UD_SEND_ONLY, 8), 5);
                    assertEquals(List.of("7 RECEIVE SUCCESS 48 grh from=99"), s.completions());
                    ByteBuffer area = memory.segment().asByteBuffer();
                    assertEquals(0, area.getLong(0) | area.getLong(8) | area.getInt(16));
                    assertEquals(0x4500, area.getShort(20));
                    // IP, UDP, BTH, DETH, payload, ICRC.
                    assertEquals(20 + 8 + 12 + 8 + 8 + 4, area.getShort(22));
                    assertEquals(0x0a000002, area.getInt(32));
                    assertEquals(0x0a000001, area.getInt(36));
                    int sum = 0;
                    for (int i = 20; i < 40; i += 2) {
                        sum += area.getShort(i) & 0xffff;
                    }
                    assertEquals(0xffff, (sum & 0xffff) + (sum >> 16), "RFC 1071");
                }),
                ibCase(68, "a wrong Q_Key is not admitted; immediate data is reported", () -> {
                    Station<UdEngine> s = datagrams();
                    s.postReceive(7, s.region(128), 128);
                    byte[] packet = datagram(IbOpcode.UD_SEND_ONLY_IMM, 8);
                    packet[IbOpcode.UD_SEND_ONLY_IMM.immOffset() + 3] = 9;
                    s.receive(packet, 5);
                    assertEquals(List.of("7 RECEIVE SUCCESS 48 imm=9 grh from=99"), s.completions());
                }),
                ibCase(69, "longer than the receive: dropped, the receive remains posted", () -> {
                    Station<UdEngine> s = datagrams();
                    s.postReceive(7, s.region(128), 50);
                    s.receive(datagram(IbOpcode.UD_SEND_ONLY, 11), 5);
                    assertEquals(1, s.engine.dropped());
                    s.receive(datagram(IbOpcode.UD_SEND_ONLY, 10), 5);
                    assertEquals(List.of("7 RECEIVE SUCCESS 50 grh from=99"), s.completions());
                    assertTrue(s.engine.failure().isEmpty());
                }),
                ibCase(70, "the first member of a group joins it, the last one leaves it", () -> {
                    MulticastGroups<String> groups = new MulticastGroups<>();
                    assertTrue(groups.attach(1, 2, "a"));
                    assertFalse(groups.attach(1, 2, "b"));
                    assertFalse(groups.attach(1, 2, "b"));
                    assertEquals(2, groups.members(1, 2));
                    assertEquals("b", groups.member(1, 2, 1));
                    assertEquals(0, groups.members(1, 3));
                    assertFalse(groups.detach(1, 2, "a"));
                    assertFalse(groups.detach(1, 2, "a"));
                    assertTrue(groups.detach(1, 2, "b"));
                    assertEquals(0, groups.members(1, 2));
                }),
                ibCase(
                        71,
                        "longer than the MTU: a local length error, the send queue stops, receiving continues",
                        () -> {
                            Station<UdEngine> s = datagrams();
                            Region memory = s.region(4096);
                            post(s, 1, memory, 1024, Q_KEY);
                            post(s, 2, memory, 1025, Q_KEY);
                            post(s, 3, memory, 4, Q_KEY);
                            assertEquals(1, s.sent(5).size());
                            assertEquals(
                                    List.of("1 SEND SUCCESS 1024", "2 SEND LOCAL_LENGTH 1025", "3 SEND FLUSHED 4"),
                                    s.completions());
                            assertTrue(s.engine.sendQueueFailed());
                            s.postReceive(7, memory, 128);
                            s.receive(datagram(IbOpcode.UD_SEND_ONLY, 8), 5);
                            assertEquals(1, s.completions().size());
                            assertTrue(s.engine.recoverSendQueue());
                            post(s, 4, memory, 4, Q_KEY);
                            assertEquals(1, s.sent(5).size());
                        }),
                ibCase(72, "the highest bit of a Q_Key selects the Q_Key of the sender", () -> {
                    Station<UdEngine> s = datagrams();
                    Region memory = s.region(64);
                    post(s, 1, memory, 4, 0x8765_4321);
                    post(s, 2, memory, 4, 0x2222_2222);
                    assertEquals(
                            List.of(
                                    "UD_SEND_ONLY psn=7 qkey=0x11111111 src=0x000033, 4 bytes",
                                    "UD_SEND_ONLY psn=8 qkey=0x22222222 src=0x000033, 4 bytes"),
                            s.sent(5));
                }));
    }

    private void post(Station<UdEngine> s, long id, Region memory, int length, int qKey) {
        s.post(
                WorkOpcode.SEND,
                WrFlags.SIGNALLED,
                w -> w.wrId(id).destination(0x44, qKey).otherKey(peer).addElement(memory.localKey(), 0, length));
    }

    private static byte[] datagram(IbOpcode opcode, int bytes) {
        return Crafted.packet(opcode, P, bytes, p -> p.deth().set(Q_KEY, 99));
    }

    private static DynamicTest ibCase(int number, String name, Runnable script) {
        return DynamicTest.dynamicTest(number + ": " + name, script::run);
    }

    @Test
    void uc_longMessage_isSplitAndCompletesWhenSent() {
        Station<UcEngine> s = connection();
        Region memory = s.region(4096);
        s.post(
                WorkOpcode.WRITE_WITH_IMMEDIATE,
                WrFlags.SIGNALLED.withSolicited(),
                w -> w.wrId(1).operand1(5).addElement(memory.localKey(), 0, 2050));
        assertEquals(
                List.of(
                        "UC_WRITE_FIRST psn=900 length=2050, 1024 bytes",
                        "UC_WRITE_MIDDLE psn=901, 1024 bytes",
                        "UC_WRITE_LAST_IMM psn=902 se imm=0x00000005, 2 bytes"),
                s.sent(5));
        assertEquals(List.of("1 WRITE SUCCESS 2050"), s.completions());
    }

    @Test
    void uc_readsAndWrongKeys_doNotEndTheQueuePair() {
        Station<UcEngine> s = connection();
        Region memory = s.region(64);
        s.receive(Crafted.withReth(IbOpcode.UC_WRITE_ONLY, P, 8, memory.baseAddress(), memory.rkey() + 1, 8), 5);
        s.receive(Crafted.withReth(IbOpcode.UC_WRITE_ONLY, P + 1, 8, memory.baseAddress() + 60, memory.rkey(), 8), 5);
        assertEquals(0, memory.segment().get(JAVA_LONG, 0));
        assertEquals(2, s.engine.dropped());
        assertTrue(s.engine.failure().isEmpty());
        assertEquals(Optional.of(AsyncEventType.COMMUNICATION_ESTABLISHED), s.engine.pollEvent());
        s.post(WorkOpcode.READ, WrFlags.SIGNALLED, w -> w.wrId(1).addElement(memory.localKey(), 0, 8));
        assertEquals(List.of(), s.sent(5));
        assertEquals(List.of("1 READ LOCAL_OPERATION 8"), s.completions());
    }

    @Test
    void uc_drain_completesTheMessageAndReportsIt() {
        Station<UcEngine> s = connection();
        Region memory = s.region(64);
        s.engine.drain(true);
        assertEquals(Optional.of(AsyncEventType.SEND_QUEUE_DRAINED), s.engine.pollEvent());
        s.post(WorkOpcode.SEND, WrFlags.SIGNALLED, w -> w.addElement(memory.localKey(), 0, 4));
        assertEquals(List.of(), s.sent(5));
        s.engine.drain(false);
        assertEquals(1, s.sent(5).size());
    }

    @Tag(Seeds.TAG)
    @Test
    void uc_lossyNetwork_deliversCompleteMessagesInOrder() {
        Seeds.each(100, UnreliableCasesTest::inOrderPrefix);
    }

    /**
     * Messages of four bytes to three packets, each filled with its number. Some packets are lost, duplicated or
     * swapped.
     */
    private static void inOrderPrefix(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Station<UcEngine> from = new Station<>(0x11, work -> new UcEngine(settings(0x11, 0x22, P, 900), work, PEER));
        from.engine.readyToSend();
        Station<UcEngine> to = connection();
        Region source = from.region(4096);
        Region target = to.region(4096);
        byte last = 0;
        int delivered = 0;
        for (int i = 1; i <= 40; i++) {
            source.segment().fill((byte) i);
            int length = 4 + random.nextInt(3000);
            from.post(WorkOpcode.SEND, WrFlags.UNSIGNALLED, w -> w.addElement(source.localKey(), 0, length));
            if (to.receive.posted() == to.receive.retired()) {
                to.postReceive(i, target, 4096);
            }
            from.transmit(5);
            while (!from.wire.isEmpty()) {
                byte[] packet = from.wire.removeFirst();
                int fate = random.nextInt(20);
                if (fate == 0) {
                    continue;
                }
                to.receive(packet, 5);
                if (fate == 1) {
                    to.receive(packet, 5);
                }
            }
            List<String> done = to.completions();
            if (!done.isEmpty()) {
                delivered++;
                byte value = target.segment().get(JAVA_BYTE, 0);
                assertTrue(value > last, "seed " + seed + "L: in order");
                String bytes = done.getFirst().split(" ")[3];
                for (int at = 0; at < Integer.parseInt(bytes); at++) {
                    assertEquals(value, target.segment().get(JAVA_BYTE, at), "seed " + seed + "L: whole");
                }
                last = value;
            }
        }
        assertTrue(delivered > 5, "seed " + seed + "L: most arrive");
    }

    @Test
    void addressHandle_released_isNotFoundAfterItsSlotIsReused() {
        AddressHandles small = new AddressHandles(1);
        int first = small.add(PEER);
        small.release(first);
        int second = small.add(PEER);
        assertFalse(small.has(first));
        assertTrue(small.has(second));
        small.release(first);
        assertTrue(small.has(second));
        assertFalse(small.has(-1));
    }

    @Test
    void ud_ipv6_theHeaderPrecedesThePayload() {
        Station<UdEngine> s = datagrams();
        Region memory = s.region(128);
        s.postReceive(7, memory, 128);
        s.origin.source(0xfe80L << 48, 2).target(0xfe80L << 48, 1);
        s.receive(datagram(IbOpcode.UD_SEND_ONLY, 8), 5);
        ByteBuffer area = memory.segment().asByteBuffer();
        assertEquals(0x6000_0000, area.getInt(0));
        assertEquals(0xfe80L << 48, area.getLong(8));
        assertEquals(2, area.getLong(16));
        assertEquals(1, area.getLong(32));
    }

    @Test
    void ud_write_negotiated_isPlacedIfTheKeyPermits() {
        UdSettings extended = datagramSettings().writes(true).datagram();
        Station<UdEngine> s = new Station<>(0x33, work -> new UdEngine(extended, work, handles));
        s.engine.readyToSend();
        Region memory = s.region(64);
        for (int i = 0; i < 3; i++) {
            int key = i == 0 ? memory.rkey() + 1 : memory.rkey();
            int length = i == 1 ? 7 : 8;
            s.receive(
                    Crafted.packet(IbOpcode.UD_WRITE_ONLY, P, 8, p -> {
                        p.deth().set(Q_KEY, 99);
                        p.reth().va(memory.baseAddress()).rKey(key).dmaLength(length);
                    }),
                    5);
            assertEquals(i == 2, memory.segment().get(JAVA_LONG, 0) != 0);
        }
        assertEquals(2, s.engine.dropped());
        s.post(
                WorkOpcode.WRITE,
                WrFlags.SIGNALLED,
                w -> w.destination(0x44, Q_KEY)
                        .otherKey(peer)
                        .remoteAddress(77)
                        .rkey(5)
                        .addElement(memory.localKey(), 0, 8));
        assertTrue(s.sent(5).getFirst().startsWith("UD_WRITE_ONLY psn=7 qkey=0x11111111"));
        Station<UdEngine> plain = datagrams();
        Region target = plain.region(64);
        plain.receive(
                Crafted.packet(IbOpcode.UD_WRITE_ONLY, P, 8, p -> {
                    p.deth().set(Q_KEY, 99);
                    p.reth().va(target.baseAddress()).rKey(target.rkey()).dmaLength(8);
                }),
                5);
        assertEquals(0, target.segment().get(JAVA_LONG, 0), "only if negotiated");
    }

    @Test
    void raw_packetsAreSteeredByNextHeaderAndDestination() {
        Station<RawEngine> s = new Station<>(0x55, work -> new RawEngine(1024, work, handles));
        s.engine.readyToSend();
        RawSteering<String> steering = new RawSteering<>();
        steering.add(RawSteering.to(6, 1, 2, "tcp to one"));
        steering.add(RawSteering.any(6, "tcp"));
        steering.add(RawSteering.to(RawSteering.ANY, 1, 2, "to one"));
        byte[] packet =
                Crafted.packet(IbOpcode.RAW_DATAGRAM, 0, 60, p -> p.bth().destQp(RawEngine.ANY_QUEUE_PAIR));
        int at = IbOpcode.RAW_DATAGRAM.headerBytes();
        Arrays.fill(packet, at, at + 60, (byte) 0);
        packet[at] = 0x60;
        IbPacket decoded = new IbPacket();
        MemorySegment segment = MemorySegment.ofArray(packet);
        decoded.decode(segment, 0, packet.length);
        assertEquals(Optional.empty(), steering.find(decoded, segment));
        packet[at + 6] = 6;
        assertEquals(Optional.of("tcp"), steering.find(decoded, segment));
        packet[at + 31] = 1;
        packet[at + 39] = 2;
        assertEquals(Optional.of("tcp to one"), steering.find(decoded, segment));
        packet[at + 6] = 17;
        assertEquals(Optional.of("to one"), steering.find(decoded, segment));
        packet[at] = 0x40;
        assertEquals(Optional.empty(), steering.find(decoded, segment));
        Region memory = s.region(256);
        s.postReceive(1, memory, 59);
        s.receive(packet, 5);
        assertEquals(1, s.engine.dropped(), "longer than the receive");
        Station<RawEngine> other = new Station<>(0x56, work -> new RawEngine(1024, work, handles));
        Region into = other.region(256);
        other.postReceive(1, into, 64);
        other.receive(packet, 5);
        assertEquals(List.of("1 RECEIVE SUCCESS 60"), other.completions());
        s.post(WorkOpcode.SEND, WrFlags.SIGNALLED, w -> w.otherKey(peer).addElement(memory.localKey(), 0, 60));
        s.post(WorkOpcode.SEND, WrFlags.SIGNALLED, w -> w.otherKey(peer).addElement(memory.localKey(), 0, 39));
        assertEquals(1, s.sent(5).size());
        assertEquals(List.of("0 SEND SUCCESS 60", "0 SEND LOCAL_LENGTH 39"), s.completions());
    }
}
