package io.verbena.sim;

import io.verbena.wire.ip.EthernetHeader;
import io.verbena.wire.ip.Icmpv6Header;
import io.verbena.wire.ip.Ipv6Header;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The message of a router that cannot pass a packet on, because the next link carries shorter ones only (RFC 4443 section 3.2).
 *
 * <pre>
 *   | Ethernet | IPv6 | ICMPv6 type 2, MTU | the packet, as much as fits |
 * </pre>
 */
final class PacketTooBig {

    private static final int QUOTED_AT = EthernetHeader.LENGTH + Ipv6Header.LENGTH + Icmpv6Header.LENGTH;
    private static final int MTU_AT = QUOTED_AT - Integer.BYTES;
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int HOP_LIMIT = 64;

    private PacketTooBig() {}

    /**
     * The frame that answers a frame with an IPv6 packet.
     *
     * @param mtu size of the largest packet that passes
     */
    static byte[] about(byte[] frame, int mtu) {
        int quotedBytes = Math.min(
                frame.length - EthernetHeader.LENGTH, Ipv6Header.LEAST_MTU + EthernetHeader.LENGTH - QUOTED_AT);
        byte[] answer = new byte[QUOTED_AT + quotedBytes];
        System.arraycopy(frame, EthernetHeader.LENGTH, answer, QUOTED_AT, quotedBytes);
        MemorySegment memory = MemorySegment.ofArray(answer);
        MemorySegment cause = MemorySegment.ofArray(frame);
        EthernetHeader ethernet = new EthernetHeader().wrap(cause, 0);
        Ipv6Header ip = new Ipv6Header().wrap(cause, EthernetHeader.LENGTH);
        int messageBytes = Icmpv6Header.LENGTH + quotedBytes;
        new EthernetHeader().wrap(memory, 0).write(ethernet.source(), ethernet.destination(), EthernetHeader.IPV6);
        Ipv6Header header = new Ipv6Header()
                .wrap(memory, EthernetHeader.LENGTH)
                .write(messageBytes, Ipv6Header.ICMP, HOP_LIMIT, 0)
                .source(ip.destinationHigh(), ip.destinationLow())
                .destination(ip.sourceHigh(), ip.sourceLow());
        memory.set(U32, MTU_AT, mtu);
        new Icmpv6Header()
                .wrap(memory, QUOTED_AT - Icmpv6Header.LENGTH)
                .finish(
                        Icmpv6Header.PACKET_TOO_BIG,
                        0,
                        header.pseudoHeader(Ipv6Header.ICMP, messageBytes),
                        messageBytes);
        return answer;
    }
}
