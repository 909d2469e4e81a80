package io.verbena.fabric.endnode;

import io.verbena.wire.ib.Lrh;
import io.verbena.wire.ib.Vcrc;
import io.verbena.wire.ip.Ipv6Header;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;

/**
 * IPv6 packets in a subnet: an LRH, the packet, padding to a multiple of four bytes, and a VCRC.
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 7.8.
 */
final class RawPacket {

    private RawPacket() {}

    /** The packet of a subnet that carries an IPv6 packet. */
    static byte[] of(byte[] ipv6, int source, int destination) {
        int before = Lrh.LENGTH + Math.ceilDiv(ipv6.length, Integer.BYTES) * Integer.BYTES;
        byte[] packet = new byte[before + Vcrc.LENGTH];
        System.arraycopy(ipv6, 0, packet, Lrh.LENGTH, ipv6.length);
        MemorySegment segment = MemorySegment.ofArray(packet);
        new Lrh()
                .wrap(segment, 0)
                .clear()
                .lnh(Lrh.RAW_IPV6)
                .dlid(destination)
                .pktLen(before / Integer.BYTES)
                .slid(source);
        Vcrc.write(segment, before, Vcrc.compute(segment, 0, before));
        return packet;
    }

    /** The IPv6 packet in a packet of a subnet; empty if there is none, or if it is damaged. */
    static Optional<byte[]> ipv6(byte[] packet) {
        int before = packet.length - Vcrc.LENGTH;
        if (before < Lrh.LENGTH + Ipv6Header.LENGTH) {
            return Optional.empty();
        }
        MemorySegment segment = MemorySegment.ofArray(packet);
        Lrh lrh = new Lrh().wrap(segment, 0);
        Ipv6Header ip = new Ipv6Header().wrap(segment, Lrh.LENGTH);
        if (lrh.lnh() != Lrh.RAW_IPV6
                || lrh.pktLen() * Integer.BYTES != before
                || Vcrc.read(segment, before) != Vcrc.compute(segment, 0, before)
                || ip.check(before - Lrh.LENGTH) != Ipv6Header.Check.OK) {
            return Optional.empty();
        }
        int length = Ipv6Header.LENGTH + ip.payloadLength();
        return Optional.of(Arrays.copyOfRange(packet, Lrh.LENGTH, Lrh.LENGTH + length));
    }
}
