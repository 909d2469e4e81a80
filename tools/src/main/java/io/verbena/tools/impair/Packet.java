package io.verbena.tools.impair;

import io.verbena.base.Digest;
import io.verbena.base.PacketPath;
import io.verbena.tools.impair.PacketShape.Kind;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.IbOpcode;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * A packet under way: an Ethernet frame, or the payload of a datagram with what its socket says about the headers. The classes {@link Marks},
 * {@link Damage} and {@link Trimming} change it.
 */
final class Packet {

    private static final int ADDRESSES_IPV4 = 12;
    private static final int ADDRESSES_IPV6 = 8;

    private final Ports ports;
    private byte[] bytes;
    private PacketShape shape;
    private int trafficClass;

    /** UDP or TCP ports; 0 where there are none. */
    record Ports(int source, int destination) {}

    private Packet(byte[] bytes, PacketShape shape, Ports ports, int trafficClass) {
        this.bytes = bytes;
        this.shape = shape;
        this.ports = ports;
        this.trafficClass = trafficClass;
    }

    /** A packet in an Ethernet frame, which belongs to it from now on. */
    static Packet frame(byte[] frame, PacketShape shape) {
        int at = shape.transportAt();
        Ports ports = at == PacketShape.ABSENT
                ? new Ports(0, 0)
                : new Ports(FrameReader.u16(frame, at), FrameReader.u16(frame, at + 2));
        return new Packet(frame, shape, ports, 0);
    }

    /** The payload of a datagram, which belongs to the packet from now on, and the TOS or traffic class with which it came. */
    static Packet datagram(byte[] payload, boolean ipv4, Ports ports, int trafficClass) {
        return new Packet(payload, FrameReader.datagram(payload, ipv4), ports, trafficClass);
    }

    Packet copy() {
        return new Packet(bytes.clone(), shape, ports, trafficClass);
    }

    byte[] bytes() {
        return bytes;
    }

    PacketShape shape() {
        return shape;
    }

    Kind kind() {
        return shape.kind();
    }

    int sourcePort() {
        return ports.source();
    }

    int destinationPort() {
        return ports.destination();
    }

    /** Destination queue pair of a RoCEv2 packet; -1 for others. */
    int destQp() {
        return kind() == Kind.ROCE ? Bth.destQp(MemorySegment.ofArray(bytes), shape.contentAt()) : -1;
    }

    /** Opcode of a RoCEv2 packet, 0 to 255; -1 for others. */
    int opcodeValue() {
        return kind() == Kind.ROCE ? bytes[shape.contentAt()] & 0xff : -1;
    }

    /** The same, as far as it is known. */
    IbOpcode opcode() {
        return kind() == Kind.ROCE ? IbOpcode.of(opcodeValue()) : IbOpcode.RESERVED;
    }

    /** Packets of a flow, by addresses and ports, have equal numbers. */
    long flow() {
        long flow = Digest.mix(ports.source(), ports.destination());
        int at = shape.networkAt();
        if (shape.version() == 0 || at == PacketShape.ABSENT) {
            return flow;
        }
        int from = at + (shape.ipv4() ? ADDRESSES_IPV4 : ADDRESSES_IPV6);
        int to = from + (shape.ipv4() ? 8 : 32);
        for (int i = from; i < to; i += 2) {
            flow = Digest.mix(flow, FrameReader.u16(bytes, i));
        }
        return flow;
    }

    /** TOS or traffic class. */
    int trafficClass() {
        int at = shape.networkAt();
        if (at == PacketShape.ABSENT) {
            return trafficClass;
        }
        return switch (shape.version()) {
            case 4 -> bytes[at + 1] & 0xff;
            case 6 -> FrameReader.u16(bytes, at) >>> 4 & 0xff;
            default -> PacketPath.NOT_ECT;
        };
    }

    /** Writes TOS or traffic class; that of IPv4 needs {@link Checksums#network} afterwards. */
    void trafficClass(int value) {
        int at = shape.networkAt();
        if (at == PacketShape.ABSENT) {
            trafficClass = value;
        } else if (shape.ipv4()) {
            bytes[at + 1] = (byte) value;
        } else {
            FrameReader.u16(bytes, at, FrameReader.u16(bytes, at) & 0xf00f | value << 4);
        }
    }

    /** Ends the content here; what followed it is gone. */
    void cutAt(int end) {
        bytes = Arrays.copyOf(bytes, end);
        shape = new PacketShape(
                shape.kind(), shape.version(), shape.networkAt(), shape.transportAt(), shape.contentAt(), end);
    }
}
