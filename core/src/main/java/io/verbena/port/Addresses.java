package io.verbena.port;

import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** Addresses as people write them. */
public final class Addresses {

    private Addresses() {}

    /** Host and port, without the slash of {@link InetSocketAddress#toString}. */
    public static String text(SocketAddress address) {
        if (!(address instanceof InetSocketAddress internet)) {
            return address.toString();
        }
        String host = internet.getHostString();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + internet.getPort();
    }
}
