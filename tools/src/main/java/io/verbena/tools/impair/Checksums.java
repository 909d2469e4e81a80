package io.verbena.tools.impair;

import io.verbena.wire.ip.InternetChecksum;
import io.verbena.wire.ip.Ipv4Header;
import java.lang.foreign.MemorySegment;

/** Checksums of IP, UDP and TCP after a change. A packet without these headers has none of them. */
final class Checksums {

    private static final int UDP_FIELD = 6;
    private static final int TCP_FIELD = 16;
    private static final int NONE = 0;
    private static final int ALL_ONES = 0xffff;

    private Checksums() {}

    /** Computes the header checksum of IPv4; IPv6 has none. */
    static void network(Packet packet) {
        PacketShape shape = packet.shape();
        if (shape.networkAt() != PacketShape.ABSENT && shape.ipv4()) {
            Ipv4Header header = new Ipv4Header().wrap(MemorySegment.ofArray(packet.bytes()), shape.networkAt());
            header.addresses(header.source(), header.destination());
        }
    }

    /**
     * Adjusts the checksum of UDP or TCP to a byte that has changed. One that was correct is correct afterwards, and one that was wrong stays
     * so (RFC 1624 section 3).
     */
    static void transport(Packet packet, int at, int before) {
        PacketShape shape = packet.shape();
        int start = shape.transportAt();
        if (start == PacketShape.ABSENT) {
            return;
        }
        byte[] bytes = packet.bytes();
        boolean tcp = shape.kind() == PacketShape.Kind.TCP;
        int field = start + (tcp ? TCP_FIELD : UDP_FIELD);
        int sum = FrameReader.u16(bytes, field);
        if (!tcp && sum == NONE) {
            return;
        }
        int shift = (at - start & 1) == 0 ? Byte.SIZE : 0;
        int old = (before & 0xff) << shift;
        int now = (bytes[at] & 0xff) << shift;
        int adjusted = InternetChecksum.of((~sum & ALL_ONES) + (~old & ALL_ONES) + now);
        FrameReader.u16(bytes, field, !tcp && adjusted == NONE ? ALL_ONES : adjusted);
    }

    /** Computes the checksum of UDP, or removes that of a packet that had none, after the length has changed. */
    static void datagram(Packet packet) {
        PacketShape shape = packet.shape();
        int start = shape.transportAt();
        byte[] bytes = packet.bytes();
        if (start == PacketShape.ABSENT || FrameReader.u16(bytes, start + UDP_FIELD) == NONE) {
            return;
        }
        FrameReader.u16(bytes, start + UDP_FIELD, NONE);
        int length = shape.end() - start;
        int addresses = shape.networkAt() + (shape.ipv4() ? 12 : 8);
        MemorySegment memory = MemorySegment.ofArray(bytes);
        long pseudo = InternetChecksum.sum(memory, addresses, shape.ipv4() ? 8 : 32) + 17 + length;
        int sum = InternetChecksum.of(pseudo + InternetChecksum.sum(memory, start, length));
        FrameReader.u16(bytes, start + UDP_FIELD, sum == NONE ? ALL_ONES : sum);
    }
}
