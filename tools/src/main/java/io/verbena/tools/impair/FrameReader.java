package io.verbena.tools.impair;

import io.verbena.tools.impair.PacketShape.Kind;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.Icrc;
import io.verbena.wire.ip.EthernetHeader;
import io.verbena.wire.ip.Ipv4Header;
import io.verbena.wire.ip.Ipv6Header;
import io.verbena.wire.ip.TcpHeader;
import java.lang.foreign.MemorySegment;

/** Finds the headers of a packet. Any bytes have a shape: what is not understood is {@link Kind#OTHER}, and passes unchanged. */
final class FrameReader {

    static final int UDP_BYTES = 8;
    private static final int UDP = 17;
    private static final int VLAN = 0x8100;
    private static final int VLAN_BYTES = 4;

    private final EthernetHeader ethernet = new EthernetHeader();
    private final Ipv4Header ipv4 = new Ipv4Header();
    private final Ipv6Header ipv6 = new Ipv6Header();
    private final int rocePort;

    /** Datagrams to this port are RoCEv2. */
    FrameReader(int rocePort) {
        this.rocePort = rocePort;
    }

    /** The shape of the payload of a datagram of UDP, which arrived at the port of RoCEv2. */
    static PacketShape datagram(byte[] payload, boolean ipv4) {
        Kind kind = roce(payload.length) ? Kind.ROCE : Kind.UDP;
        return new PacketShape(kind, ipv4 ? 4 : 6, PacketShape.ABSENT, PacketShape.ABSENT, 0, payload.length);
    }

    /** The shape of an Ethernet frame, with or without a VLAN tag. */
    PacketShape frame(byte[] frame) {
        if (!EthernetHeader.fits(frame.length)) {
            return other(0, 0, frame.length);
        }
        MemorySegment memory = MemorySegment.ofArray(frame);
        int type = ethernet.wrap(memory, 0).type();
        int at = EthernetHeader.LENGTH;
        if (type == VLAN && frame.length >= at + VLAN_BYTES) {
            type = u16(frame, at + 2);
            at += VLAN_BYTES;
        }
        return switch (type) {
            case EthernetHeader.IPV4 -> ipv4(memory, frame, at);
            case EthernetHeader.IPV6 -> ipv6(memory, frame, at);
            default -> other(0, at, frame.length);
        };
    }

    private static PacketShape other(int version, int networkAt, int end) {
        return new PacketShape(Kind.OTHER, version, networkAt, PacketShape.ABSENT, Math.min(networkAt, end), end);
    }

    private PacketShape ipv4(MemorySegment memory, byte[] frame, int at) {
        ipv4.wrap(memory, at);
        Ipv4Header.Check check = ipv4.check(frame.length - at);
        if (check == Ipv4Header.Check.FRAGMENT) {
            return other(4, at, at + ipv4.totalLength());
        }
        if (check != Ipv4Header.Check.OK) {
            return other(0, at, frame.length);
        }
        return transport(frame, 4, ipv4.protocol(), at, at + ipv4.headerBytes(), at + ipv4.totalLength());
    }

    private PacketShape ipv6(MemorySegment memory, byte[] frame, int at) {
        ipv6.wrap(memory, at);
        if (ipv6.check(frame.length - at) != Ipv6Header.Check.OK) {
            return other(0, at, frame.length);
        }
        int start = at + Ipv6Header.LENGTH;
        return transport(frame, 6, ipv6.nextHeader(), at, start, start + ipv6.payloadLength());
    }

    private PacketShape transport(byte[] frame, int version, int protocol, int networkAt, int at, int end) {
        if (protocol == UDP && end - at >= UDP_BYTES) {
            int length = u16(frame, at + 4);
            if (length >= UDP_BYTES && length <= end - at) {
                boolean roce = u16(frame, at + 2) == rocePort && roce(length - UDP_BYTES);
                Kind kind = roce ? Kind.ROCE : Kind.UDP;
                return new PacketShape(kind, version, networkAt, at, at + UDP_BYTES, at + length);
            }
        }
        if (protocol == Ipv4Header.TCP && end - at >= TcpHeader.LENGTH) {
            int headerBytes = (frame[at + 12] & 0xf0) >>> 2;
            if (headerBytes >= TcpHeader.LENGTH && headerBytes <= end - at) {
                return new PacketShape(Kind.TCP, version, networkAt, at, at + headerBytes, end);
            }
        }
        return other(version, networkAt, end);
    }

    private static boolean roce(int bytes) {
        return bytes >= Bth.LENGTH + Icrc.LENGTH;
    }

    static int u16(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 8 | bytes[at + 1] & 0xff;
    }

    static void u16(byte[] bytes, int at, int value) {
        bytes[at] = (byte) (value >>> 8);
        bytes[at + 1] = (byte) value;
    }
}
