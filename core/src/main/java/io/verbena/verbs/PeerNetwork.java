package io.verbena.verbs;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * The network of a peer, for quotas: an IPv4 address, the /64 prefix of an IPv6 address (a host chooses the other 64 bits itself), or the
 * text of any other address. The port is ignored, since a peer can use any number of ports.
 *
 * @param name for messages: {@code 192.0.2.1} or {@code 2001:db8:0:1::/64}
 */
public record PeerNetwork(String name) {

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
        return new PeerNetwork(address instanceof Inet6Address six ? prefix(six) + "/64" : address.getHostAddress());
    }

    private static String prefix(Inet6Address address) {
        byte[] bytes = address.getAddress();
        Arrays.fill(bytes, NETWORK_BYTES, bytes.length, (byte) 0);
        try {
            return InetAddress.getByAddress(bytes).getHostAddress().replaceFirst("(:0)+$", "::");
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an IPv6 address of " + bytes.length + " bytes", e);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
