package io.verbena.tcp.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Times;
import io.verbena.tcp.flow.IpAddress;
import io.verbena.wire.ip.EthernetHeader;
import io.verbena.wire.ip.Icmpv6Header;
import io.verbena.wire.ip.Ipv6Header;
import io.verbena.wire.ip.NeighborMessage;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Packet scripts of neighbor discovery: host fd77::1 with hardware address 02:00:00:00:00:01. */
class NeighborDiscoveryTest {

    private static final long S = 1_000_000_000L;
    private static final IpAddress OWN = address("fd77::1");
    private static final IpAddress PEER = address("fd77::2");
    private static final IpAddress NONE = address("::");
    private static final IpAddress OWN_GROUP = address("ff02::1:ff00:1");
    private static final IpAddress ALL = address("ff02::1");
    private static final long OWN_HARDWARE = 0x0200_0000_0001L;
    private static final long HARDWARE = 0x0200_0000_0002L;
    private static final String TO_PEER = Long.toHexString(HARDWARE);
    private static final String TO_ALL = "3333ff000002";
    private static final long NO_OPTION = NeighborMessage.ABSENT;
    private static final int ANSWER = NeighborMessage.SOLICITED | NeighborMessage.OVERRIDE;

    private final List<IpAddress> unreachable = new ArrayList<>();
    private final NeighborDiscovery protocol = new NeighborDiscovery(OWN, OWN_HARDWARE, unreachable::add, 0);
    private final Neighbors neighbors = protocol.neighbors();

    private static IpAddress address(String text) {
        return IpAddress.of(InetAddress.ofLiteral(text));
    }

    /** A message; fields that a script changes are set before its checksum. */
    private static final class Message {
        private int type = NeighborMessage.SOLICITATION;
        private IpAddress source = PEER;
        private IpAddress destination = OWN_GROUP;
        private IpAddress target = OWN;
        private int flags;
        private int option = NeighborMessage.SOURCE_ADDRESS;
        private long hardware = HARDWARE;
        private int hopLimit = NeighborMessage.HOP_LIMIT;
        private int code;
        private int spoiltAt = -1;
        private int optionLength = 1;

        static Message solicitation() {
            return new Message();
        }

        static Message advertisement(int flags) {
            Message message = new Message();
            message.type = NeighborMessage.ADVERTISEMENT;
            message.destination = OWN;
            message.target = PEER;
            message.flags = flags;
            message.option = NeighborMessage.TARGET_ADDRESS;
            return message;
        }

        Message from(IpAddress value) {
            source = value;
            return this;
        }

        Message to(IpAddress value) {
            destination = value;
            return this;
        }

        Message target(IpAddress value) {
            target = value;
            return this;
        }

        Message hardware(long value) {
            hardware = value;
            return this;
        }

        Message hopLimit(int value) {
            hopLimit = value;
            return this;
        }

        Message code(int value) {
            code = value;
            return this;
        }

        Message optionLength(int value) {
            optionLength = value;
            return this;
        }

        Message spoiltAt(int value) {
            spoiltAt = value;
            return this;
        }

        byte[] bytes() {
            int length = hardware == NO_OPTION ? NeighborMessage.LENGTH : NeighborMessage.WITH_ADDRESS;
            byte[] packet = new byte[Ipv6Header.LENGTH + length];
            MemorySegment memory = MemorySegment.ofArray(packet);
            NeighborMessage message = new NeighborMessage()
                    .wrap(memory, Ipv6Header.LENGTH, packet.length)
                    .write(type, flags, target.high(), target.low());
            if (hardware != NO_OPTION) {
                message.linkAddress(option, hardware);
                packet[Ipv6Header.LENGTH + NeighborMessage.LENGTH + 1] = (byte) optionLength;
            }
            Ipv6Header ip = new Ipv6Header()
                    .wrap(memory, 0)
                    .write(length, Ipv6Header.ICMP, hopLimit, 0)
                    .source(source.high(), source.low())
                    .destination(destination.high(), destination.low());
            new Icmpv6Header()
                    .wrap(memory, Ipv6Header.LENGTH)
                    .finish(type, code, ip.pseudoHeader(Ipv6Header.ICMP, length), length);
            if (spoiltAt >= 0) {
                packet[spoiltAt] ^= 1;
            }
            return packet;
        }
    }

    private void arrives(Message message, long nowNs) {
        byte[] packet = message.bytes();
        assertTrue(protocol.onFrame(EthernetHeader.IPV6, MemorySegment.ofArray(packet), 0, packet.length, nowNs));
    }

    /** The check of the own address is over, and its frame was sent. */
    private void begin() {
        protocol.onDeadline(S);
        sent();
    }

    /** The frames to send, one line each. */
    private List<String> sent() {
        List<String> lines = new ArrayList<>();
        byte @Nullable [] frame;
        while ((frame = neighbors.next()) != null) {
            neighbors.sent();
            lines.add(line(frame));
        }
        return lines;
    }

    private static String line(byte[] frame) {
        MemorySegment memory = MemorySegment.ofArray(frame);
        EthernetHeader ethernet = new EthernetHeader().wrap(memory, 10);
        StringBuilder line = new StringBuilder();
        Ipv6Header ip = new Ipv6Header().wrap(memory, 24);
        if (frame.length > 100) {
            line.append("packet of ").append(frame.length);
        } else {
            assertEquals(Ipv6Header.Check.OK, ip.check(frame.length - 24));
            NeighborMessage message = new NeighborMessage().wrap(memory, 64, frame.length);
            assertTrue(message.fits());
            message.describe(line);
        }
        return line.append(" to ")
                .append(Long.toHexString(ethernet.destination()))
                .toString();
    }

    // RFC 4862 section 5.4.2.
    @Test
    void start_asksForItsOwnAddress_andIsReadyAfterASecond() {
        assertEquals(List.of("ND solicitation fd77:0:0:0:0:0:0:1 flags=0x0 to 3333ff000001"), sent());
        assertFalse(protocol.ready());
        assertEquals(S, protocol.nextDeadlineNs());
        protocol.onDeadline(S);
        assertTrue(protocol.ready());
        assertEquals(Times.NEVER, protocol.nextDeadlineNs());
    }

    // RFC 4862 sections 5.4.3 and 5.4.4.
    @Test
    void anotherHostHasOrWantsTheAddress_isAConflict() {
        for (Message each : List.of(
                Message.advertisement(NeighborMessage.OVERRIDE).to(ALL).target(OWN),
                Message.solicitation().from(NONE).hardware(NO_OPTION))) {
            NeighborDiscovery starting = new NeighborDiscovery(OWN, OWN_HARDWARE, unreachable::add, 0);
            byte[] packet = each.bytes();
            starting.onFrame(EthernetHeader.IPV6, MemorySegment.ofArray(packet), 0, packet.length, 1);
            assertFalse(starting.ready());
            assertTrue(starting.conflict().startsWith("the address fd77:0:0:0:0:0:0:1 cannot be used"));
        }
    }

    @Test
    void laterClaimOfTheAddress_isAnsweredToAll_andChangesNothing() {
        begin();
        arrives(Message.solicitation().from(NONE).hardware(NO_OPTION), 2 * S);
        arrives(Message.advertisement(NeighborMessage.OVERRIDE).to(ALL).target(OWN), 2 * S);
        assertEquals(
                List.of("ND advertisement fd77:0:0:0:0:0:0:1 flags=0x2 target=02:00:00:00:00:01 to 333300000001"),
                sent());
        assertTrue(protocol.ready());
    }

    // RFC 4861 sections 7.2.2 and 7.2.5.
    @Test
    void unknown_solicitationAndAnswer_sendsTheLatestPacketThatWaited() {
        begin();
        assertEquals(Neighbors.UNKNOWN, neighbors.find(PEER, 2 * S));
        neighbors.keep(PEER, MemorySegment.ofArray(new byte[150]), 0, 150);
        neighbors.keep(PEER, MemorySegment.ofArray(new byte[160]), 0, 160);
        assertEquals(
                List.of("ND solicitation fd77:0:0:0:0:0:0:2 flags=0x0 source=02:00:00:00:00:01 to 3333ff000002"),
                sent());
        arrives(Message.advertisement(ANSWER), 2 * S + 1);
        assertEquals(List.of("packet of 160 to 20000000002"), sent());
        assertEquals(HARDWARE, neighbors.find(PEER, 2 * S + 2));
        assertEquals(Times.NEVER, neighbors.nextDeadlineNs());
    }

    // RFC 4861 section 7.2.3: learned, but checked when it is used.
    @Test
    void solicitation_forThisHost_isAnsweredAndLearnedAsStale() {
        begin();
        arrives(Message.solicitation(), 2 * S);
        assertEquals(
                List.of("ND advertisement fd77:0:0:0:0:0:0:1 flags=0x6 target=02:00:00:00:00:01 to 20000000002"),
                sent());
        assertEquals(HARDWARE, neighbors.find(PEER, 3 * S));
        assertEquals(List.of(), sent());
        neighbors.onDeadline(8 * S);
        assertEquals(
                List.of("ND solicitation fd77:0:0:0:0:0:0:2 flags=0x0 source=02:00:00:00:00:01 to 20000000002"),
                sent());
        arrives(Message.advertisement(ANSWER), 8 * S + 1);
        assertEquals(Times.NEVER, neighbors.nextDeadlineNs());
    }

    // RFC 4861 section 7.2.4: the address of a host that did not state it is requested first.
    @Test
    void solicitation_withoutTheAddressOfItsSender_isAnsweredWhenThatIsKnown() {
        begin();
        arrives(Message.solicitation().hardware(NO_OPTION).to(OWN), 2 * S);
        assertEquals(1, sent().size());
        arrives(Message.advertisement(ANSWER), 2 * S + 1);
        assertEquals(
                List.of("ND advertisement fd77:0:0:0:0:0:0:1 flags=0x6 target=02:00:00:00:00:01 to 20000000002"),
                sent());
    }

    // RFC 4861 section 7.3.3: three unicast probes. RFC 7048: then all stations are asked, and the address stays in
    // use.
    @Test
    void silentHost_isProbed_thenAllAreAsked_andTheAddressStaysInUse() {
        begin();
        neighbors.find(PEER, 2 * S);
        arrives(Message.advertisement(ANSWER), 2 * S);
        sent();
        for (long nowNs = 40 * S; nowNs <= 51 * S; nowNs += S) {
            assertEquals(HARDWARE, neighbors.find(PEER, nowNs));
            neighbors.onDeadline(nowNs);
        }
        assertEquals(
                List.of(TO_PEER, TO_PEER, TO_PEER, TO_ALL, TO_ALL, TO_ALL),
                sent().stream().map(NeighborDiscoveryTest::destination).toList());
        assertEquals(List.of(PEER), unreachable);
        assertEquals(HARDWARE, neighbors.find(PEER, 60 * S));
        assertEquals(
                List.of(TO_ALL),
                sent().stream().map(NeighborDiscoveryTest::destination).toList());
        arrives(Message.advertisement(ANSWER).hardware(HARDWARE + 1), 60 * S + 1);
        assertEquals(HARDWARE + 1, neighbors.find(PEER, 60 * S + 2));
        assertEquals(Times.NEVER, neighbors.nextDeadlineNs());
    }

    private static String destination(String line) {
        return line.substring(line.lastIndexOf(' ') + 1);
    }

    // Negative advice of a transport: no delay, one probe, then all stations.
    @Test
    void doubt_stationIsAsked_thenAllAre_andTheAddressStaysInUse() {
        begin();
        neighbors.find(PEER, 2 * S);
        arrives(Message.advertisement(ANSWER), 2 * S);
        sent();
        neighbors.doubt(PEER, 3 * S);
        assertEquals(TO_PEER, destination(sent().getFirst()));
        neighbors.onDeadline(4 * S);
        assertEquals(TO_ALL, destination(sent().getFirst()));
        assertEquals(HARDWARE, neighbors.find(PEER, 4 * S));
        arrives(Message.advertisement(ANSWER), 4 * S + 1);
        assertEquals(Times.NEVER, neighbors.nextDeadlineNs());
        neighbors.find(PEER, 40 * S);
        neighbors.doubt(PEER, 40 * S);
        assertEquals(TO_PEER, destination(sent().getFirst()), "the delay is over");
    }

    // RFC 4861 section 7.2.5: the table of flags.
    @Test
    void advertisements_changeAnEntryAsTheirFlagsSay() {
        begin();
        arrives(Message.advertisement(ANSWER), 2 * S);
        assertEquals(Neighbors.UNKNOWN, neighbors.find(PEER, 2 * S), "an answer without a question");
        arrives(Message.advertisement(ANSWER).hardware(NO_OPTION), 2 * S);
        assertEquals(Neighbors.UNKNOWN, neighbors.find(PEER, 2 * S), "no address");
        arrives(Message.advertisement(NeighborMessage.SOLICITED), 2 * S);
        assertEquals(HARDWARE, neighbors.find(PEER, 2 * S));
        arrives(Message.advertisement(NeighborMessage.SOLICITED).hardware(HARDWARE + 1), 3 * S);
        assertEquals(HARDWARE, neighbors.find(PEER, 3 * S), "without override");
        assertEquals(8 * S, neighbors.nextDeadlineNs(), "but it is in doubt");
        arrives(Message.advertisement(ANSWER).hardware(HARDWARE + 1), 4 * S);
        assertEquals(HARDWARE + 1, neighbors.find(PEER, 4 * S));
        assertEquals(Times.NEVER, neighbors.nextDeadlineNs());
        arrives(Message.advertisement(NeighborMessage.OVERRIDE).to(ALL).hardware(HARDWARE), 5 * S);
        assertEquals(HARDWARE, neighbors.find(PEER, 5 * S), "the host has changed its address");
        assertEquals(10 * S, neighbors.nextDeadlineNs(), "which is checked");
    }

    // RFC 4861 sections 7.1.1 and 7.1.2.
    @Test
    void invalidMessages_changeNothing() {
        begin();
        neighbors.find(PEER, 2 * S);
        sent();
        for (Message each : List.of(
                Message.solicitation().hopLimit(254),
                Message.solicitation().code(1),
                Message.solicitation().spoiltAt(70),
                Message.solicitation().optionLength(0),
                Message.solicitation().optionLength(2),
                Message.solicitation().target(PEER),
                Message.solicitation().target(ALL),
                Message.solicitation().from(ALL),
                Message.solicitation().from(OWN),
                Message.solicitation().from(NONE),
                Message.solicitation().from(NONE).hardware(NO_OPTION).to(OWN),
                Message.advertisement(ANSWER).hopLimit(1),
                Message.advertisement(ANSWER).to(ALL),
                Message.advertisement(ANSWER).hardware(EthernetHeader.BROADCAST),
                Message.advertisement(ANSWER).hardware(OWN_HARDWARE),
                Message.advertisement(ANSWER).hardware(0),
                Message.advertisement(ANSWER).spoiltAt(45))) {
            arrives(each, 2 * S + 1);
            assertEquals(List.of(), sent());
            assertEquals(Neighbors.UNKNOWN, neighbors.find(PEER, 2 * S + 2));
        }
    }

    @Test
    void otherPackets_areNotThoseOfTheProtocol() {
        begin();
        byte[] packet = Message.solicitation().bytes();
        MemorySegment memory = MemorySegment.ofArray(packet);
        assertFalse(protocol.onFrame(EthernetHeader.IPV4, memory, 0, packet.length, 1));
        assertFalse(protocol.onFrame(EthernetHeader.IPV6, memory, 0, packet.length - 1, 1));
        packet[Ipv6Header.LENGTH] = (byte) 134; // a router advertisement
        assertFalse(protocol.onFrame(EthernetHeader.IPV6, memory, 0, packet.length, 1));
    }

    @Test
    void floods_areBoundedAndDisplaceNoEntryInUse() {
        begin();
        neighbors.find(PEER, 2 * S);
        arrives(Message.advertisement(ANSWER), 2 * S);
        sent();
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            IpAddress stranger = new IpAddress(OWN.high(), random.nextLong());
            // Solicitations from anywhere, connections from anywhere, and answers that were not asked for.
            switch (random.nextInt(4)) {
                case 0 -> neighbors.find(stranger, 2 * S + i);
                case 1 -> arrives(Message.solicitation().from(stranger).hardware(NO_OPTION), 2 * S + i);
                case 2 -> arrives(Message.advertisement(ANSWER).target(stranger), 2 * S + i);
                default -> arrives(Message.solicitation().from(stranger), 2 * S + i);
            }
        }
        assertEquals(Neighbors.MOST_OUTPUT, sent().size());
        assertEquals(HARDWARE, neighbors.find(PEER, 3 * S));
        assertTrue(neighbors.toString().startsWith(Neighbors.MOST + " hosts"));
        for (long nowNs = 3 * S; nowNs <= 60 * S; nowNs += S) {
            neighbors.onDeadline(nowNs);
            sent();
        }
        assertTrue(unreachable.size() <= Neighbors.MOST);
    }
}
