package io.verbena.files;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * The origin of clients, for shares and limits: an IPv4 address, or the /64 prefix of an IPv6 address, within which one
 * machine can choose any address.
 *
 * @param text the address or prefix as text
 */
record Origin(String text) {

    private static final int PREFIX_BYTES = 8;

    static Origin of(SocketAddress address) {
        if (!(address instanceof InetSocketAddress inet) || inet.getAddress() == null) {
            return new Origin(String.valueOf(address));
        }
        InetAddress ip = inet.getAddress();
        return new Origin(ip instanceof Inet6Address six ? prefix(six) + "/64" : ip.getHostAddress());
    }

    private static String prefix(Inet6Address address) {
        byte[] bytes = address.getAddress();
        Arrays.fill(bytes, PREFIX_BYTES, bytes.length, (byte) 0);
        try {
            String text = InetAddress.getByAddress(bytes).getHostAddress();
            return text.replaceFirst("(:0)+$", "::");
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an IPv6 address of " + bytes.length + " bytes", e);
        }
    }
}
