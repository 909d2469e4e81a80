package io.verbena.tcp;

import io.verbena.base.PacketPath;
import io.verbena.port.Addresses;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * What identifies a connection: two IPv4 addresses, two ports, and the path.
 *
 * @param local address of this side
 * @param remote address of the peer
 * @param ports local port in the upper 16 bits, port of the peer in the lower ones
 * @param path 0 for IP; with UDP encapsulation the UDP port of the peer
 * @param route the destination of packets
 * @param markableRoute the same for packets that routers may mark (ECN)
 */
record FlowKey(int local, int remote, int ports, int path, PacketPath route, PacketPath markableRoute) {

    /** The upper half of the lower eight bytes of an IPv4 address in IPv6 form. */
    private static final long MAPPED = 0xffffL << 32;

    FlowKey(int local, int remote, int ports, int path) {
        this(
                local,
                remote,
                ports,
                path,
                route(remote, path, PacketPath.NOT_ECT),
                route(remote, path, PacketPath.ECT_0));
    }

    private static PacketPath route(int remote, int path, int trafficClass) {
        return new PacketPath(0, MAPPED | Integer.toUnsignedLong(remote), path, trafficClass);
    }

    static int ports(int localPort, int remotePort) {
        return localPort << 16 | remotePort & 0xffff;
    }

    int localPort() {
        return ports >>> 16;
    }

    int remotePort() {
        return ports & 0xffff;
    }

    InetSocketAddress localAddress() {
        return new InetSocketAddress(inet(local), localPort());
    }

    InetSocketAddress remoteAddress() {
        return new InetSocketAddress(inet(remote), remotePort());
    }

    static int number(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length != 4) {
            throw new IllegalArgumentException(
                    "The TCP of this process supports IPv4 only, not " + address.getHostAddress() + ".");
        }
        return (bytes[0] & 0xff) << 24 | (bytes[1] & 0xff) << 16 | (bytes[2] & 0xff) << 8 | bytes[3] & 0xff;
    }

    static InetAddress inet(int address) {
        return Addresses.address(0, MAPPED | Integer.toUnsignedLong(address));
    }

    /** A hash of a key that need not exist as an object. */
    static int hash(int local, int remote, int ports, int path) {
        int h = local * 0x9E37_79B9 + remote;
        h = (h ^ h >>> 15) * 0x85EB_CA6B + ports;
        h = (h ^ h >>> 13) * 0xC2B2_AE35 + path;
        return h ^ h >>> 16;
    }

    boolean is(int otherLocal, int otherRemote, int otherPorts, int otherPath) {
        return ports == otherPorts && remote == otherRemote && local == otherLocal && path == otherPath;
    }
}
