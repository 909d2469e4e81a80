package io.verbena.tools.impair;

import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.Icrc;
import io.verbena.wire.ip.Ipv6Header;

/**
 * Cuts the payload of a RoCEv2 packet, as a switch with a full queue does.
 *
 * <pre>
 *   | BTH | headers of the opcode | payload | padding | ICRC |      before
 *   | BTH | headers of the opcode | ICRC |                          after: that of the whole packet
 * </pre>
 *
 * <p>The ICRC of the whole packet remains, so a receiver that does not know trimming takes the packet for a damaged one and does not take an
 * empty payload for the data. Lengths and checksums of IP and UDP fit the short packet.
 */
final class Trimming {

    /** What is left of a packet with an unknown opcode, without the ICRC: BTH and as much as the longest headers. */
    private static final int UNKNOWN_BYTES = 60;

    private static final int UDP_LENGTH = 4;
    private static final int IPV4_LENGTH = 2;
    private static final int IPV6_LENGTH = 4;

    /** DSCP of a packet is left as it is. */
    static final int SAME_DSCP = -1;

    private static final int DSCP_SHIFT = 2;
    private static final int ECN_BITS = 3;

    private Trimming() {}

    /**
     * Cuts the payload.
     *
     * @param dscp of the header that remains, or {@link #SAME_DSCP}
     * @return false if there is none: then nothing is changed
     */
    static boolean trim(Packet packet, int dscp) {
        PacketShape shape = packet.shape();
        if (shape.kind() != PacketShape.Kind.ROCE) {
            return false;
        }
        IbOpcode opcode = packet.opcode();
        if (!opcode.hasPayload() || opcode == IbOpcode.CNP) {
            return false;
        }
        int kept = opcode == IbOpcode.RESERVED ? UNKNOWN_BYTES : opcode.headerBytes();
        int end = shape.contentAt() + kept + Icrc.LENGTH;
        if (end >= shape.end()) {
            return false;
        }
        System.arraycopy(packet.bytes(), shape.end() - Icrc.LENGTH, packet.bytes(), end - Icrc.LENGTH, Icrc.LENGTH);
        packet.cutAt(end);
        if (dscp != SAME_DSCP) {
            packet.trafficClass(dscp << DSCP_SHIFT | packet.trafficClass() & ECN_BITS);
        }
        lengths(packet);
        return true;
    }

    private static void lengths(Packet packet) {
        PacketShape shape = packet.shape();
        int network = shape.networkAt();
        if (network == PacketShape.ABSENT) {
            return;
        }
        byte[] bytes = packet.bytes();
        FrameReader.u16(bytes, shape.transportAt() + UDP_LENGTH, shape.end() - shape.transportAt());
        if (shape.ipv4()) {
            FrameReader.u16(bytes, network + IPV4_LENGTH, shape.end() - network);
        } else {
            FrameReader.u16(bytes, network + IPV6_LENGTH, shape.end() - network - Ipv6Header.LENGTH);
        }
        Checksums.network(packet);
        Checksums.datagram(packet);
    }
}
