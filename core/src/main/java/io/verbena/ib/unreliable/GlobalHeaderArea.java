package io.verbena.ib.unreliable;

import io.verbena.base.PacketPath;
import io.verbena.ib.packet.Origin;
import io.verbena.wire.ib.Grh;
import java.nio.ByteBuffer;

/**
 * The 40 bytes before the payload of a received datagram: the IPv6 header, or 20 zero bytes and the IPv4 header. A UDP
 * socket does not return the header, and a packet within a subnet has none, so this class builds it from the known
 * fields.
 *
 * <pre>
 *   IPv6   | version, class, flow label 4 | length 2 | next header, hop limit | source 16 | target 16 |
 *   IPv4   | zeros 20                     | 45, class, length 2 | 0, DF | TTL, 17, checksum | source 4 | target 4 |
 * </pre>
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 11.4.1.2 (GRH of unreliable datagrams), and annex
 * A17.4.5.2.
 */
final class GlobalHeaderArea {

    /** Length in bytes. */
    static final int LENGTH = 40;

    private static final int IPV4_BYTES = 20;
    private static final int UDP_BYTES = 8;
    private static final int UDP = 17;
    private static final int DONT_FRAGMENT = 0x4000;

    private final byte[] bytes = new byte[LENGTH];
    private final ByteBuffer fields = ByteBuffer.wrap(bytes);

    /** The area that was written last. */
    byte[] bytes() {
        return bytes;
    }

    /**
     * Writes the area for a packet.
     *
     * @param packetBytes from the BTH to the end of the ICRC
     */
    void write(Origin origin, int packetBytes) {
        int datagram = (origin.overUdp() ? UDP_BYTES : 0) + packetBytes;
        fields.clear();
        if (PacketPath.ipv4(origin.sourceHigh(), origin.sourceLow())) {
            fields.putLong(0).putLong(0).putInt(0);
            fields.put((byte) 0x45).put((byte) origin.trafficClass()).putShort((short) (IPV4_BYTES + datagram));
            fields.putShort((short) 0).putShort((short) DONT_FRAGMENT);
            fields.put((byte) origin.hopLimit()).put((byte) UDP).putShort((short) 0);
            fields.putInt((int) origin.sourceLow()).putInt((int) origin.targetLow());
            fields.putShort(IPV4_BYTES + 10, (short) checksum());
        } else {
            fields.putInt(6 << 28 | origin.trafficClass() << 20).putShort((short) datagram);
            fields.put((byte) (origin.overUdp() ? UDP : Grh.NEXT_HEADER_BTH)).put((byte) origin.hopLimit());
            fields.putLong(origin.sourceHigh()).putLong(origin.sourceLow());
            fields.putLong(origin.targetHigh()).putLong(origin.targetLow());
        }
    }

    /** The checksum of RFC 1071 over the IPv4 header. */
    private int checksum() {
        int sum = 0;
        for (int i = IPV4_BYTES; i < LENGTH; i += 2) {
            sum += fields.getShort(i) & 0xffff;
        }
        sum = (sum & 0xffff) + (sum >>> 16);
        return ~((sum & 0xffff) + (sum >>> 16));
    }
}
