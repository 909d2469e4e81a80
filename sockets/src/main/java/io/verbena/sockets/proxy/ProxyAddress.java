package io.verbena.sockets.proxy;

import io.verbena.text.AddressText;
import java.net.InetSocketAddress;

/**
 * An end of a proxy: where it listens, or its target.
 *
 * @param rdma whether peers at this end use RDMA; else TCP
 * @param socket the address; resolved
 */
public record ProxyAddress(boolean rdma, InetSocketAddress socket) {

    public ProxyAddress {
        if (socket.isUnresolved()) {
            throw new IllegalArgumentException("The address of a proxy must be resolved: " + socket + ".");
        }
    }

    /** An end that uses RDMA. */
    public static ProxyAddress rdma(InetSocketAddress socket) {
        return new ProxyAddress(true, socket);
    }

    /** An end that uses TCP. */
    public static ProxyAddress tcp(InetSocketAddress socket) {
        return new ProxyAddress(false, socket);
    }

    /** Such as {@code rdma:127.0.0.1:7000}, or with the name that the address was made from. */
    @Override
    public String toString() {
        return (rdma ? "rdma:" : "tcp:") + AddressText.of(socket);
    }

    /** The pattern by which a provider selects this peer, at any of its addresses. */
    String pattern() {
        return "*:" + socket.getPort();
    }
}
