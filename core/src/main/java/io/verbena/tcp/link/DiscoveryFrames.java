package io.verbena.tcp.link;

import io.verbena.tcp.flow.IpAddress;
import io.verbena.wire.ip.EthernetHeader;
import io.verbena.wire.ip.Icmpv6Header;
import io.verbena.wire.ip.Ipv6Header;
import io.verbena.wire.ip.NeighborMessage;
import io.verbena.wire.ip.VirtioNetHeader;
import java.lang.foreign.MemorySegment;

/** The frames of {@link NeighborDiscovery}: RFC 4861 sections 4.3 and 4.4, on Ethernet by RFC 2464. */
final class DiscoveryFrames {

    private static final IpAddress NODES = new IpAddress(0xff02_0000_0000_0000L, 1);

    /** The group of all hosts. */
    static final long ALL_NODES = EthernetHeader.ipv6Group(1);

    /** RFC 4291 section 2.7.1: the group of all hosts whose addresses end with the same 24 bits. */
    private static final long SOLICITED_NODE = 0x0000_0001_ff00_0000L;

    private static final long LAST_BITS = 0xff_ffffL;
    private static final IpAddress UNSPECIFIED = new IpAddress(0, 0);
    private static final int IP = Neighbors.FRAME + EthernetHeader.LENGTH;
    private static final int CONTENT = IP + Ipv6Header.LENGTH;

    private final IpAddress address;
    private final long hardware;

    DiscoveryFrames(IpAddress address, long hardware) {
        this.address = address;
        this.hardware = hardware;
    }

    long hardware() {
        return hardware;
    }

    /** The group of stations that solicitations for this host reach. */
    long ownGroup() {
        return EthernetHeader.ipv6Group(group(address).low());
    }

    private static IpAddress group(IpAddress target) {
        return new IpAddress(NODES.high(), SOLICITED_NODE | target.low() & LAST_BITS);
    }

    /** Asks one station, or those in the group of the address. */
    byte[] solicitation(IpAddress target, long to) {
        IpAddress destination = to == Neighbors.UNKNOWN ? group(target) : target;
        byte[] frame = begin(NeighborMessage.WITH_ADDRESS);
        message(frame, NeighborMessage.SOLICITATION, 0, target).linkAddress(NeighborMessage.SOURCE_ADDRESS, hardware);
        return finish(frame, address, destination, to == Neighbors.UNKNOWN ? station(destination) : to);
    }

    /** Asks who else has the address of this host. */
    byte[] duplicateCheck() {
        byte[] frame = begin(NeighborMessage.LENGTH);
        message(frame, NeighborMessage.SOLICITATION, 0, address);
        IpAddress destination = group(address);
        return finish(frame, UNSPECIFIED, destination, station(destination));
    }

    /** Answers a solicitation. */
    byte[] advertisement(IpAddress destination, long to) {
        return advertisement(destination, to, NeighborMessage.SOLICITED | NeighborMessage.OVERRIDE);
    }

    /** RFC 4861 section 7.2.4: the answer for a host without an address. */
    byte[] advertisementToAll() {
        return advertisement(NODES, ALL_NODES, NeighborMessage.OVERRIDE);
    }

    private byte[] advertisement(IpAddress destination, long to, int flags) {
        byte[] frame = begin(NeighborMessage.WITH_ADDRESS);
        message(frame, NeighborMessage.ADVERTISEMENT, flags, address)
                .linkAddress(NeighborMessage.TARGET_ADDRESS, hardware);
        return finish(frame, address, destination, to);
    }

    private static long station(IpAddress group) {
        return EthernetHeader.ipv6Group(group.low());
    }

    private static byte[] begin(int messageBytes) {
        return new byte[CONTENT + messageBytes];
    }

    private static NeighborMessage message(byte[] frame, int type, int flags, IpAddress target) {
        return new NeighborMessage()
                .wrap(MemorySegment.ofArray(frame), CONTENT, frame.length)
                .write(type, flags, target.high(), target.low());
    }

    private byte[] finish(byte[] frame, IpAddress source, IpAddress destination, long to) {
        MemorySegment memory = MemorySegment.ofArray(frame);
        int length = frame.length - CONTENT;
        new VirtioNetHeader().wrap(memory, 0).complete();
        new EthernetHeader().wrap(memory, Neighbors.FRAME).write(to, hardware, EthernetHeader.IPV6);
        Ipv6Header ip = new Ipv6Header()
                .wrap(memory, IP)
                .write(length, Ipv6Header.ICMP, NeighborMessage.HOP_LIMIT, 0)
                .source(source.high(), source.low())
                .destination(destination.high(), destination.low());
        Icmpv6Header header = new Icmpv6Header().wrap(memory, CONTENT);
        header.finish(header.type(), 0, ip.pseudoHeader(Ipv6Header.ICMP, length), length);
        return frame;
    }
}
