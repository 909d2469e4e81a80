package io.verbena.tcp.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Times;
import io.verbena.tcp.flow.IpAddress;
import io.verbena.wire.ip.ArpPacket;
import io.verbena.wire.ip.EthernetHeader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Packet scripts of ARP: host 10.0.0.1 with hardware address 02:00:00:00:00:01. */
class NeighborsTest {

    private static final long S = 1_000_000_000L;
    private static final int OWN = 0x0a00_0001;
    private static final int PEER_IP = 0x0a00_0002;
    private static final IpAddress PEER = IpAddress.ipv4(PEER_IP);
    private static final long OWN_HARDWARE = 0x0200_0000_0001L;
    private static final long HARDWARE = 0x0200_0000_0002L;
    private static final String REQUEST = "ARP request 10.0.0.1 02:00:00:00:00:01 > 10.0.0.2 00:00:00:00:00:00 to ";

    private final List<IpAddress> unreachable = new ArrayList<>();
    private final Arp protocol = new Arp(IpAddress.ipv4(OWN), OWN_HARDWARE, unreachable::add);
    private final Neighbors neighbors = protocol.neighbors();

    private void arp(int operation, long sender, int senderIp, int targetIp, long nowNs) {
        MemorySegment memory = MemorySegment.ofArray(new byte[ArpPacket.LENGTH]);
        new ArpPacket()
                .wrap(memory, 0)
                .write(operation)
                .sender(sender, senderIp)
                .target(0, targetIp);
        protocol.onFrame(EthernetHeader.ARP, memory, 0, ArpPacket.LENGTH, nowNs);
    }

    /** The frames to send, one line each. */
    private List<String> sent() {
        List<String> lines = new ArrayList<>();
        byte[] frame;
        while ((frame = neighbors.next()) != null) {
            neighbors.sent();
            MemorySegment memory = MemorySegment.ofArray(frame);
            EthernetHeader ethernet = new EthernetHeader().wrap(memory, 10);
            StringBuilder line = new StringBuilder();
            if (ethernet.type() == EthernetHeader.ARP) {
                new ArpPacket().wrap(memory, 24).describe(line).append(" to ");
            } else {
                line.append("packet of ").append(frame.length).append(" to ");
            }
            lines.add(line.append(Long.toHexString(ethernet.destination())).toString());
        }
        return lines;
    }

    @Test
    void unknown_requestAndAnswer_sendsTheLatestPacketThatWaited() {
        assertEquals(Neighbors.UNKNOWN, neighbors.find(PEER, 0));
        neighbors.keep(PEER, MemorySegment.ofArray(new byte[50]), 0, 50);
        neighbors.keep(PEER, MemorySegment.ofArray(new byte[60]), 0, 60);
        assertEquals(
                List.of("ARP request 10.0.0.1 02:00:00:00:00:01 > 10.0.0.2 00:00:00:00:00:00 to ffffffffffff"), sent());
        arp(ArpPacket.REPLY, HARDWARE, PEER_IP, OWN, S / 100);
        assertEquals(List.of("packet of 60 to 20000000002"), sent());
        assertEquals(HARDWARE, neighbors.find(PEER, S / 50));
        assertEquals(Times.NEVER, neighbors.nextDeadlineNs());
    }

    private void learn(long nowNs) {
        neighbors.find(PEER, nowNs);
        sent();
        arp(ArpPacket.REPLY, HARDWARE, PEER_IP, OWN, nowNs);
    }

    // RFC 1122 section 2.3.2.1 (4): a transport gets no answers. The station is asked, then all are, at most once a
    // second.
    @Test
    void doubt_stationIsAsked_thenAllAre_andTheAddressStaysInUse() {
        learn(0);
        neighbors.doubt(PEER, S - 1);
        assertEquals(List.of(), sent(), "it was confirmed a moment ago");
        neighbors.doubt(PEER, S);
        assertEquals(List.of(REQUEST + "20000000002"), sent());
        neighbors.doubt(PEER, S + 1);
        assertEquals(HARDWARE, neighbors.find(PEER, S + 1));
        assertEquals(List.of(), sent());
        for (long nowNs = 2 * S; nowNs <= 4 * S; nowNs += S) {
            neighbors.onDeadline(nowNs);
            assertEquals(List.of(REQUEST + "ffffffffffff"), sent());
            assertEquals(HARDWARE, neighbors.find(PEER, nowNs));
        }
        neighbors.onDeadline(5 * S);
        assertEquals(List.of(PEER), unreachable);
        assertEquals(Times.NEVER, neighbors.nextDeadlineNs());
        neighbors.doubt(IpAddress.ipv4(OWN + 7), 5 * S);
        assertEquals(List.of(), sent(), "no packet is sent");
        assertEquals(HARDWARE, neighbors.find(PEER, 9 * S));
        assertEquals(List.of(REQUEST + "ffffffffffff"), sent());
        arp(ArpPacket.REPLY, HARDWARE + 1, PEER_IP, OWN, 9 * S + 1);
        assertEquals(HARDWARE + 1, neighbors.find(PEER, 9 * S + 2));
        assertEquals(Times.NEVER, neighbors.nextDeadlineNs());
    }

    @Test
    void doubt_whileAnOldEntryIsChecked_asksAllNext() {
        learn(0);
        neighbors.find(PEER, 61 * S);
        assertEquals(List.of(REQUEST + "20000000002"), sent());
        neighbors.doubt(PEER, 61 * S + 1);
        assertEquals(List.of(), sent());
        neighbors.onDeadline(62 * S);
        assertEquals(List.of(REQUEST + "ffffffffffff"), sent());
    }

    @Test
    void doubt_ofAnAddressThatIsNotKnown_changesNothing() {
        neighbors.find(PEER, 0);
        sent();
        neighbors.doubt(PEER, S / 2);
        neighbors.doubt(PEER, 5 * S);
        assertEquals(List.of(), sent());
        assertEquals(S, neighbors.nextDeadlineNs());
    }

    @Test
    void request_forThisHost_isAnsweredAndLearned() {
        arp(ArpPacket.REQUEST, HARDWARE, PEER_IP, OWN, 0);
        assertEquals(
                List.of("ARP reply 10.0.0.1 02:00:00:00:00:01 > 10.0.0.2 02:00:00:00:00:02 to 20000000002"), sent());
        assertEquals(HARDWARE, neighbors.find(PEER, 1));
        assertEquals(List.of(), sent());
    }

    @Test
    void request_forAnotherHost_changesNothing() {
        arp(ArpPacket.REQUEST, HARDWARE, PEER_IP, 0x0a00_0003, 0);
        arp(ArpPacket.REPLY, HARDWARE, PEER_IP, OWN, 0); // an answer without a question
        assertEquals(List.of(), sent());
        assertEquals(Neighbors.UNKNOWN, neighbors.find(PEER, 1));
    }

    @Test
    void senderWithTheAddressOfThisHostOrOfAGroup_isIgnored() {
        neighbors.find(PEER, 0);
        sent();
        arp(ArpPacket.REPLY, EthernetHeader.BROADCAST, PEER_IP, OWN, 1);
        arp(ArpPacket.REPLY, 0, PEER_IP, OWN, 1);
        arp(ArpPacket.REQUEST, HARDWARE, OWN, OWN, 1);
        assertEquals(List.of(), sent());
        assertEquals(Neighbors.UNKNOWN, neighbors.find(PEER, 1));
    }

    // RFC 1122 section 2.3.2.1: an old entry is checked with a unicast request, and used meanwhile.
    @Test
    void oldEntry_isCheckedAndReplaced_orAllAreAsked() {
        arp(ArpPacket.REQUEST, HARDWARE, PEER_IP, OWN, 0);
        sent();
        assertEquals(HARDWARE, neighbors.find(PEER, 61 * S));
        assertEquals(
                List.of("ARP request 10.0.0.1 02:00:00:00:00:01 > 10.0.0.2 00:00:00:00:00:00 to 20000000002"), sent());
        arp(ArpPacket.REPLY, HARDWARE + 1, PEER_IP, OWN, 61 * S + 1);
        assertEquals(HARDWARE + 1, neighbors.find(PEER, 62 * S));
        neighbors.find(PEER, 200 * S);
        for (long nowNs = 200 * S; nowNs <= 202 * S; nowNs += S) {
            neighbors.onDeadline(nowNs);
            assertEquals(List.of(REQUEST + "20000000003"), sent());
        }
        for (long nowNs = 203 * S; nowNs <= 205 * S; nowNs += S) {
            neighbors.onDeadline(nowNs);
            assertEquals(List.of(REQUEST + "ffffffffffff"), sent());
        }
        assertEquals(List.of(), unreachable);
        neighbors.onDeadline(206 * S);
        assertEquals(List.of(PEER), unreachable);
        assertEquals(HARDWARE + 1, neighbors.find(PEER, 207 * S));
    }

    @Test
    void flood_ofRequests_isBoundedAndDisplacesNoEntryInUse() {
        arp(ArpPacket.REQUEST, HARDWARE, PEER_IP, OWN, 0);
        for (int i = 0; i < 100_000; i++) {
            neighbors.find(PEER, i + 1);
            arp(ArpPacket.REQUEST, HARDWARE + 2 + i, 0x0b00_0000 + i, OWN, i + 1);
        }
        assertEquals(Neighbors.MOST_OUTPUT, sent().size());
        assertEquals(HARDWARE, neighbors.find(PEER, 100_001));
        assertTrue(neighbors.toString().startsWith(Neighbors.MOST + " hosts"));
    }
}
