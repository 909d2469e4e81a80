package io.verbena.sockets.nio;

import io.verbena.text.AddressText;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Peers to reach by RDMA: a host name or address with {@code *} for any characters, or a network such as {@code
 * 10.0.0.0/8}; then {@code :PORT} if only that port is meant. An IPv6 address is written in brackets. An address is compared as an address,
 * in whatever form it is written; with {@code *} it is compared with the long and the short form of RFC 5952.
 *
 * <p>Several hosts with {@code |} between them are the addresses of one peer.
 */
public final class PeerPattern {

    private static final int ANY_PORT = -1;

    /** Letters and digits of any language, as in internationalized names. */
    private static final Pattern HOST = Pattern.compile("[\\p{L}\\p{N}.:*/_-]+");

    private final String text;
    private final int port;
    private final List<Host> hosts;

    private record Host(Optional<Network> network, Pattern name) {
        boolean matches(InetSocketAddress peer) {
            InetAddress address = peer.getAddress();
            if (network.isPresent()) {
                return address != null && network.get().contains(address.getAddress());
            }
            return name.matcher(peer.getHostString()).matches()
                    || address != null
                            && AddressText.forms(address)
                                    .anyMatch(form -> name.matcher(form).matches());
        }
    }

    private record Network(byte[] address, int prefixBits) {
        /** The address, if there is only one. */
        Optional<InetAddress> single() {
            try {
                return prefixBits == address.length * Byte.SIZE
                        ? Optional.of(InetAddress.getByAddress(address))
                        : Optional.empty();
            } catch (UnknownHostException e) {
                throw new AssertionError("an address has 4 or 16 bytes", e);
            }
        }

        boolean contains(byte[] other) {
            if (other.length != address.length) {
                return false;
            }
            int whole = prefixBits / Byte.SIZE;
            int rest = 0xFF00 >> prefixBits % Byte.SIZE & 0xFF;
            return Arrays.equals(address, 0, whole, other, 0, whole)
                    && (rest == 0 || (address[whole] & rest) == (other[whole] & rest));
        }
    }

    private PeerPattern(String text) {
        this.text = text;
        boolean bracket = text.startsWith("[");
        // Without brackets, more than one colon is an IPv6 address, and no port follows.
        boolean bare = !bracket && text.indexOf(':') != text.lastIndexOf(':');
        int hostEnd = bracket ? text.indexOf(']') : bare ? -1 : text.lastIndexOf(':');
        if (bracket && hostEnd < 0) {
            throw wrong("has no closing bracket");
        }
        String name = bracket ? text.substring(1, hostEnd) : hostEnd < 0 ? text : text.substring(0, hostEnd);
        String after = hostEnd < 0 ? "" : text.substring(bracket ? hostEnd + 1 : hostEnd);
        if (!after.isEmpty() && after.charAt(0) != ':') {
            throw wrong("has \"" + after + "\" after the bracket, where a colon and a port are expected");
        }
        port = after.isEmpty() ? ANY_PORT : number(after.substring(1), 1, 0xFFFF);
        hosts = Arrays.stream(name.split("\\|", -1)).map(this::host).toList();
    }

    private Host host(String name) {
        if (name.isEmpty()) {
            throw wrong("names no host");
        }
        if (!HOST.matcher(name).matches()) {
            throw wrong("contains a character that is not part of a host name or an address");
        }
        int slash = name.indexOf('/');
        return new Host(
                slash < 0 ? address(name) : Optional.of(network(name, slash)),
                Pattern.compile(
                        Pattern.quote(name).replace("*", "\\E.*\\Q"), Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE));
    }

    /**
     * Reads a pattern.
     *
     * @throws IllegalArgumentException if it is not one
     */
    public static PeerPattern of(String text) {
        return new PeerPattern(text.strip());
    }

    /** The network that consists of one address, if it is one. */
    private static Optional<Network> address(String name) {
        try {
            byte[] address = InetAddress.ofLiteral(name).getAddress();
            return Optional.of(new Network(address, address.length * Byte.SIZE));
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    private Network network(String name, int slash) {
        try {
            byte[] address = InetAddress.ofLiteral(name.substring(0, slash)).getAddress();
            return new Network(address, number(name.substring(slash + 1), 0, address.length * Byte.SIZE));
        } catch (IllegalArgumentException e) {
            throw wrong("contains no network such as 10.0.0.0/8");
        }
    }

    private int number(String digits, int least, int most) {
        try {
            int value = Integer.parseInt(digits);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw wrong("contains \"" + digits + "\" where a number is expected");
        }
        throw wrong("contains the number " + digits + ", which must be " + least + " to " + most);
    }

    private IllegalArgumentException wrong(String what) {
        return new IllegalArgumentException(
                "The pattern \"" + text + "\" " + what + "; write a list such as kafka-*:9092,10.0.0.0/8.");
    }

    /** Whether the address matches. Names are not resolved: an address that was made from a name has both. */
    public boolean matches(InetSocketAddress peer) {
        return (port == ANY_PORT || port == peer.getPort()) && hosts.stream().anyMatch(host -> host.matches(peer));
    }

    /** The other addresses of a peer that matches, with the same port. */
    List<SocketAddress> others(InetSocketAddress peer) {
        return hosts.stream()
                .filter(host -> !host.matches(peer))
                .flatMap(host -> host.network().stream())
                .flatMap(network -> network.single().stream())
                .<SocketAddress>map(address -> new InetSocketAddress(address, peer.getPort()))
                .toList();
    }

    @Override
    public String toString() {
        return text;
    }
}
