package io.verbena.wire;

import io.verbena.base.PacketPath;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * Presents captured UDP payload as Ethernet frames with IPv4 or IPv6 and UDP headers. The headers are those that the
 * system sends, as far as the ICRC of InfiniBand covers them: "do not fragment" is set and the identification is given.
 * One thread.
 *
 * <p>Source of the headers: RFC 791, RFC 8200, RFC 768.
 */
public final class UdpTrace {

    /** Length of what precedes the payload in a record: addresses, ports, traffic class, identification. */
    public static final int HEAD_BYTES = 40;

    private static final int ETHERNET = 14;
    private static final int IPV4 = 20;
    private static final int IPV6 = 40;
    private static final int UDP = 8;
    private static final int UDP_PROTOCOL = 17;
    private static final int TTL = 64;
    private static final int DONT_FRAGMENT = 0x4000;
    private static final int MOST_PAYLOAD_BYTES = 65_535;

    private final PcapngWriter out;
    private final ByteBuffer packet = ByteBuffer.allocate(ETHERNET + IPV6 + UDP + MOST_PAYLOAD_BYTES);
    private final byte[] headBytes = new byte[HEAD_BYTES];
    private final ByteBuffer head = ByteBuffer.wrap(headBytes);

    /** A trace that writes to a file. */
    public UdpTrace(PcapngWriter out) {
        this.out = out;
    }

    /**
     * Writes a packet.
     *
     * @param memory with, from {@code offset}: source and destination address (16 bytes each, IPv4 as mapped), source
     *     and destination port, traffic class, a free byte, identification; then the payload
     * @param captured number of these bytes
     * @param length what it would be if all payload had been captured
     * @param missing number of packets missing before this one
     */
    public void packet(MemorySegment memory, long offset, int captured, int length, long nowNs, long missing)
            throws IOException {
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, headBytes, 0, HEAD_BYTES);
        int payload = length - HEAD_BYTES;
        int kept = Math.min(captured - HEAD_BYTES, MOST_PAYLOAD_BYTES);
        boolean ipv4 = PacketPath.ipv4(head.getLong(0), head.getLong(8))
                && PacketPath.ipv4(head.getLong(16), head.getLong(24));
        packet.clear();
        packet.putInt(0x02000000).putShort((short) 2);
        packet.putInt(0x02000000).putShort((short) 1);
        packet.putShort((short) (ipv4 ? 0x0800 : 0x86dd));
        if (ipv4) {
            ipv4(payload);
        } else {
            ipv6(payload);
        }
        int udp = packet.position();
        packet.putShort(head.getShort(32)).putShort(head.getShort(34));
        packet.putShort((short) (UDP + payload)).putShort((short) 0);
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset + HEAD_BYTES, packet.array(), packet.position(), kept);
        if (!ipv4 && kept == payload) {
            checksum(udp, UDP + payload);
        }
        int front = udp + UDP;
        out.packet(nowNs, packet.array(), 0, front + kept, front + payload, missing);
    }

    private void ipv4(int payload) {
        int at = packet.position();
        packet.put((byte) 0x45).put(headBytes[36]).putShort((short) (IPV4 + UDP + payload));
        packet.putShort(head.getShort(38)).putShort((short) DONT_FRAGMENT);
        packet.put((byte) TTL).put((byte) UDP_PROTOCOL).putShort((short) 0);
        packet.putInt(head.getInt(12)).putInt(head.getInt(28));
        packet.putShort(at + 10, (short) ~fold(sum(at, IPV4)));
    }

    private void ipv6(int payload) {
        packet.putInt(0x6000_0000 | (headBytes[36] & 0xff) << 20).putShort((short) (UDP + payload));
        packet.put((byte) UDP_PROTOCOL).put((byte) TTL);
        packet.put(headBytes, 0, 32);
    }

    /** The checksum of UDP over IPv6, which the addresses in front of the UDP header are part of. */
    private void checksum(int udp, int length) {
        int sum = fold(sum(udp - 32, 32) + UDP_PROTOCOL + length + sum(udp, length));
        packet.putShort(udp + 6, (short) (sum == 0xffff ? 0xffff : ~sum)); // 0 means that there is none
    }

    private long sum(int from, int length) {
        long sum = 0;
        for (int i = 0; i + 1 < length; i += 2) {
            sum += packet.getShort(from + i) & 0xffff;
        }
        return (length & 1) == 0 ? sum : sum + ((packet.get(from + length - 1) & 0xff) << 8);
    }

    private static int fold(long sum) {
        long folded = sum;
        while (folded >>> 16 != 0) {
            folded = (folded & 0xffff) + (folded >>> 16);
        }
        return (int) folded;
    }
}
