package io.verbena.rnic;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HexFormat;

/**
 * The network that quotas are counted for: an IPv4 address, an IPv6 /64 prefix (a host chooses the other 64 bits
 * itself), or the name of any other address. The port is ignored, since a peer can use any number of ports.
 *
 * @param name for messages: {@code 192.0.2.1} or {@code 2001:0db8:0000:0001::/64}
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
