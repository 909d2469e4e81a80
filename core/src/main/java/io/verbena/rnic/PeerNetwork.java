package io.verbena.rnic;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HexFormat;

/**
 * What counts as one peer where quotas are kept: an IPv4 address, an IPv6 network of 64 bits (a host chooses the other 64
 * itself), the name of anything else. The port is left out, since a peer has as many as it likes.
 *
 * @param name for sentences: {@code 192.0.2.1} or {@code 2001:0db8:0000:0001::/64}
 */
public record PeerNetwork(String name) {

    private static final int IPV4_BYTES = 4;
    private static final int NETWORK_BYTES = 8;

    /** The network of a peer's address. */
    public static PeerNetwork of(SocketAddress peer) {
        if (!(peer instanceof InetSocketAddress internet)) {
            return new PeerNetwork(peer.toString());
        }
        InetAddress address = internet.getAddress();
        if (address == null) {
            return new PeerNetwork(internet.getHostString());
        }
        byte[] bytes = address.getAddress();
        return new PeerNetwork(bytes.length == IPV4_BYTES ? address.getHostAddress() : network(bytes));
    }

    private static String network(byte[] address) {
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < NETWORK_BYTES; i += 2) {
            name.append(HexFormat.of().formatHex(address, i, i + 2)).append(':');
        }
        return name.append(":/64").toString();
    }

    @Override
    public String toString() {
        return name;
    }
}
