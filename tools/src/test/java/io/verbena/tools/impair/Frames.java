package io.verbena.tools.impair;

import io.verbena.base.PacketPath;
import io.verbena.port.Addresses;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.Icrc;
import io.verbena.wire.ip.EthernetHeader;
import io.verbena.wire.ip.InternetChecksum;
import io.verbena.wire.ip.Ipv4Header;
import io.verbena.wire.ip.Ipv6Header;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Frames as hosts send them, and checks of what arrives. */
final class Frames {

    static final int ROCE = 4791;
    static final int QP = 0x11;
    private static final InetAddress V4_A = InetAddress.ofLiteral("10.0.0.1");
    private static final InetAddress V4_B = InetAddress.ofLiteral("10.0.0.2");
    private static final InetAddress V6_A = InetAddress.ofLiteral("fd77::1");
    private static final InetAddress V6_B = InetAddress.ofLiteral("fd77::2");
    private static final FrameReader READER = new FrameReader(ROCE);

    private Frames() {}

    /** A packet of InfiniBand with this payload and an ICRC of 0. */
    static byte[] roce(IbOpcode opcode, int payloadBytes) {
        byte[] packet = new byte[opcode.headerBytes() + payloadBytes + (-payloadBytes & 3) + Icrc.LENGTH];
        for (int i = Bth.LENGTH; i < packet.length - Icrc.LENGTH; i++) {
            packet[i] = (byte) (i * 7);
        }
        new Bth().wrap(MemorySegment.ofArray(packet), 0).set(opcode, QP, 5).pad(-payloadBytes & 3);
        return packet;
    }

    /** A RoCEv2 frame with a correct ICRC; IPv6 has a checksum of UDP, too. */
    static byte[] roceFrame(boolean ipv4, int sourcePort, int trafficClass, IbOpcode opcode, int payloadBytes) {
        byte[] packet = roce(opcode, payloadBytes);
        int summed = packet.length - Icrc.LENGTH;
        int sum = new Icrc().compute(ByteBuffer.wrap(packet), 0, summed, flow(ipv4, sourcePort), 0);
        Icrc.write(MemorySegment.ofArray(packet), summed, sum);
        return udpFrame(ipv4, sourcePort, ROCE, trafficClass, packet);
    }

    static Icrc.Flow flow(boolean ipv4, int sourcePort) {
        InetAddress from = ipv4 ? V4_A : V6_A;
        InetAddress to = ipv4 ? V4_B : V6_B;
        return new Icrc.Flow()
                .source(Addresses.high(from), Addresses.low(from), sourcePort)
                .target(Addresses.high(to), Addresses.low(to), ROCE);
    }

    static byte[] udpFrame(boolean ipv4, int sourcePort, int destinationPort, int trafficClass, byte[] payload) {
        byte[] udp = new byte[FrameReader.UDP_BYTES + payload.length];
        FrameReader.u16(udp, 0, sourcePort);
        FrameReader.u16(udp, 2, destinationPort);
        FrameReader.u16(udp, 4, udp.length);
        System.arraycopy(payload, 0, udp, FrameReader.UDP_BYTES, payload.length);
        return frame(ipv4, 17, trafficClass, udp, ipv4 ? -1 : 6);
    }

    static byte[] tcpFrame(boolean ipv4, int payloadBytes) {
        byte[] tcp = new byte[20 + payloadBytes];
        FrameReader.u16(tcp, 0, 40_000);
        FrameReader.u16(tcp, 2, 7174);
        FrameReader.u16(tcp, 6, 1000);
        tcp[12] = 0x50;
        tcp[13] = 0x18;
        Arrays.fill(tcp, 20, tcp.length, (byte) 9);
        return frame(ipv4, 6, 0, tcp, 16);
    }

    /** A request of ARP. */
    static byte[] arp() {
        byte[] frame = new byte[42];
        new EthernetHeader()
                .wrap(MemorySegment.ofArray(frame), 0)
                .write(EthernetHeader.BROADCAST, 2, EthernetHeader.ARP);
        return frame;
    }

    private static byte[] frame(boolean ipv4, int protocol, int trafficClass, byte[] transport, int checksumAt) {
        int network = EthernetHeader.LENGTH;
        int start = network + (ipv4 ? Ipv4Header.LENGTH : Ipv6Header.LENGTH);
        byte[] frame = new byte[start + transport.length];
        MemorySegment memory = MemorySegment.ofArray(frame);
        new EthernetHeader().wrap(memory, 0).write(1, 2, ipv4 ? EthernetHeader.IPV4 : EthernetHeader.IPV6);
        System.arraycopy(transport, 0, frame, start, transport.length);
        if (ipv4) {
            new Ipv4Header()
                    .wrap(memory, network)
                    .write(frame.length - network, 0, protocol, 64)
                    .typeOfService(trafficClass)
                    .addresses((int) Addresses.low(V4_A), (int) Addresses.low(V4_B));
        } else {
            new Ipv6Header()
                    .wrap(memory, network)
                    .write(transport.length, protocol, 64, trafficClass)
                    .source(Addresses.high(V6_A), Addresses.low(V6_A))
                    .destination(Addresses.high(V6_B), Addresses.low(V6_B));
        }
        if (checksumAt >= 0) {
            FrameReader.u16(frame, start + checksumAt, InternetChecksum.of(transportSum(frame, ipv4, protocol, start)));
        }
        return frame;
    }

    private static long transportSum(byte[] frame, boolean ipv4, int protocol, int start) {
        MemorySegment memory = MemorySegment.ofArray(frame);
        int addresses = EthernetHeader.LENGTH + (ipv4 ? 12 : 8);
        return InternetChecksum.sum(memory, addresses, ipv4 ? 8 : 32)
                + protocol
                + (frame.length - start)
                + InternetChecksum.sum(memory, start, frame.length - start);
    }

    static Packet packet(byte[] frame) {
        return Packet.frame(frame, READER.frame(frame));
    }

    /** Whether all checksums of IP, UDP and TCP in a frame are correct. */
    static boolean headersIntact(byte[] frame, boolean ipv4, int protocol) {
        MemorySegment memory = MemorySegment.ofArray(frame);
        int start = EthernetHeader.LENGTH + (ipv4 ? Ipv4Header.LENGTH : Ipv6Header.LENGTH);
        if (ipv4
                && new Ipv4Header().wrap(memory, EthernetHeader.LENGTH).check(frame.length - EthernetHeader.LENGTH)
                        != Ipv4Header.Check.OK) {
            return false;
        }
        boolean noSum = protocol == 17 && FrameReader.u16(frame, start + 6) == 0;
        return noSum || InternetChecksum.intact(transportSum(frame, ipv4, protocol, start));
    }

    /** Whether the ICRC of a RoCEv2 frame is correct. */
    static boolean icrcIntact(byte[] frame, boolean ipv4) {
        PacketShape shape = READER.frame(frame);
        int summed = shape.contentBytes() - Icrc.LENGTH;
        int sourcePort = FrameReader.u16(frame, shape.transportAt());
        int sum = new Icrc().compute(ByteBuffer.wrap(frame), shape.contentAt(), summed, flow(ipv4, sourcePort), 0);
        return sum == Icrc.read(MemorySegment.ofArray(frame), shape.contentAt() + summed);
    }

    static int ecn(byte[] frame) {
        return PacketPath.ecn(packet(frame).trafficClass());
    }
}
