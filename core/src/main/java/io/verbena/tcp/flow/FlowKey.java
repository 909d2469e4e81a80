package io.verbena.tcp.flow;

import io.verbena.base.PacketPath;
import io.verbena.wire.ip.Ipv4Header;
import io.verbena.wire.ip.Ipv6Header;
import io.verbena.wire.ip.TcpHeader;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * What identifies a connection of a host: the address of the peer, two ports, and the path.
 *
 * @param local address of this side
 * @param remote address of the peer
 * @param ports local port in the upper 16 bits, port of the peer in the lower ones
 * @param path 0 for IP; with UDP encapsulation the UDP port of the peer
 * @param route the destination of packets
 * @param markableRoute the same for packets that routers may mark (ECN)
 */
public record FlowKey(
        IpAddress local, IpAddress remote, int ports, int path, PacketPath route, PacketPath markableRoute) {

    /** Packets of this size pass almost everywhere: Ethernet, less the headers of a tunnel. */
    private static final int COMMON_MTU = 1400;

    private static final int UDP_HEADER = 8;

    /** Smallest path MTU of IPv4 that a report is believed; smaller ones are forged (RFC 5927 section 7). */
    private static final int LEAST_IPV4_MTU = 552;

    /** RFC 9293 section 3.7.1 [2]: the segment size of a peer that does not send the option. */
    private static final int DEFAULT_IPV4_MSS = 536;

    private static final int DEFAULT_IPV6_MSS = 1220;

    public FlowKey(IpAddress local, IpAddress remote, int ports, int path) {
        this(
                local,
                remote,
                ports,
                path,
                route(remote, path, PacketPath.NOT_ECT),
                route(remote, path, PacketPath.ECT_0));
    }

    private static PacketPath route(IpAddress remote, int path, int trafficClass) {
        return new PacketPath(remote.high(), remote.low(), path, trafficClass);
    }

    public static int ports(int localPort, int remotePort) {
        return localPort << 16 | remotePort & 0xffff;
    }

    public int localPort() {
        return ports >>> 16;
    }

    int remotePort() {
        return ports & 0xffff;
    }

    public InetSocketAddress localAddress() {
        return new InetSocketAddress(local.inet(), localPort());
    }

    public InetSocketAddress remoteAddress() {
        return new InetSocketAddress(remote.inet(), remotePort());
    }

    /** Size of the packets that pass almost everywhere, less the header of UDP if that carries the segments. */
    public int commonMtu() {
        return path == 0 ? COMMON_MTU : COMMON_MTU - UDP_HEADER;
    }

    /** Bytes of the headers of IP and TCP without options. */
    public int headerBytes() {
        return (remote.isIpv4() ? Ipv4Header.LENGTH : Ipv6Header.LENGTH) + TcpHeader.LENGTH;
    }

    /** Smallest path MTU that a report is believed; RFC 8201 section 4 for IPv6. */
    public int leastMtu() {
        return remote.isIpv4() ? LEAST_IPV4_MTU : Ipv6Header.LEAST_MTU;
    }

    /** The segment size of a peer that does not state it. */
    public int defaultMss() {
        return remote.isIpv4() ? DEFAULT_IPV4_MSS : DEFAULT_IPV6_MSS;
    }

    public static InetAddress inet(int address) {
        return IpAddress.ipv4(address).inet();
    }

    /** A hash of a key that need not exist as an object. */
    public static int hash(long remoteHigh, long remoteLow, int ports, int path) {
        long address = (remoteHigh * 0x9E37_79B9_7F4A_7C15L ^ remoteLow) * 0xC2B2_AE3D_27D4_EB4FL;
        int h = (int) (address ^ address >>> 32);
        h = (h ^ h >>> 15) * 0x85EB_CA6B + ports;
        h = (h ^ h >>> 13) * 0xC2B2_AE35 + path;
        return h ^ h >>> 16;
    }

    public int tableHash() {
        return hash(remote.high(), remote.low(), ports, path);
    }

    public boolean is(long remoteHigh, long remoteLow, int otherPorts, int otherPath) {
        return ports == otherPorts && remote.low() == remoteLow && remote.high() == remoteHigh && path == otherPath;
    }

    public boolean sameFlow(FlowKey other) {
        return other.is(remote.high(), remote.low(), ports, path);
    }
}
