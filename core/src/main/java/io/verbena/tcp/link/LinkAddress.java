package io.verbena.tcp.link;

import io.verbena.tcp.flow.IpAddress;
import java.net.InetAddress;
import java.util.Optional;

/** The IPv4 or IPv6 address of a host on a link, and the way to other networks. Immutable. */
public final class LinkAddress {

    private static final int MOST_IPV4_BITS = 30;
    private static final int MOST_IPV6_BITS = 127;

    private final IpAddress address;
    private final int prefixBits;
    private final IpAddress gateway;

    private LinkAddress(IpAddress address, int prefixBits, IpAddress gateway) {
        this.address = address;
        this.prefixBits = prefixBits;
        this.gateway = gateway;
    }

    /**
     * Creates an address.
     *
     * @param address of the host
     * @param prefixBits length of the prefix that all hosts on the link share: 1 to 30, or 1 to 127 with IPv6
     * @param gateway address on the link of the router to all other networks
     * @throws IllegalArgumentException if the three do not fit together
     */
    public static LinkAddress of(InetAddress address, int prefixBits, InetAddress gateway) {
        return of(IpAddress.of(address), prefixBits, IpAddress.of(gateway));
    }

    private static LinkAddress of(IpAddress host, int prefixBits, IpAddress gateway) {
        int most = host.isIpv4() ? MOST_IPV4_BITS : MOST_IPV6_BITS;
        if (prefixBits < 1 || prefixBits > most) {
            throw new IllegalArgumentException("the prefix must have 1 to " + most + " bits, not " + prefixBits);
        }
        if (!host.isUnicast()) {
            throw new IllegalArgumentException(host + " is not the address of one host");
        }
        if (isOfNetwork(host, prefixBits)) {
            throw new IllegalArgumentException(host + "/" + prefixBits + " is the address of a network, not of a host");
        }
        if (!host.sharesPrefix(gateway, prefixBits)) {
            throw new IllegalArgumentException(
                    "the gateway " + gateway + " is not in the network of " + host + "/" + prefixBits);
        }
        return new LinkAddress(host, prefixBits, gateway);
    }

    /** The first address of a network, and in IPv4 also the last one, belong to no host; a link of two has no such address. */
    private static boolean isOfNetwork(IpAddress host, int bits) {
        boolean broadcast = host.isIpv4() && (host.ipv4() | -1 << 32 - bits) == -1;
        return broadcast || bits < MOST_IPV6_BITS && host.isNetwork(bits);
    }

    /**
     * Parses {@code 10.77.0.2/24} or {@code fd77::2/64}; the gateway is the other end of the link.
     *
     * @throws IllegalArgumentException with a sentence
     */
    public static LinkAddress parse(String text, InetAddress gateway) {
        return parse(text, Optional.of(IpAddress.of(gateway)));
    }

    private static LinkAddress parse(String text, Optional<IpAddress> gateway) {
        String[] parts = text.split("/", 2);
        try {
            IpAddress host = number(parts[0]);
            return of(host, Integer.parseInt(parts[1]), gateway.orElse(host));
        } catch (ArrayIndexOutOfBoundsException | NumberFormatException e) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not an IP address with a prefix, such as 10.77.0.2/24 or fd77::2/64", e);
        }
    }

    /** Parses the address of a host on a link without a router: every address is looked for on the link. */
    public static LinkAddress parse(String text) {
        LinkAddress alone = parse(text, Optional.empty());
        return new LinkAddress(alone.address, 0, alone.address);
    }

    /** Never a name to look up. */
    private static IpAddress number(String text) {
        if (text.indexOf(':') >= 0) {
            return ipv6(text);
        }
        String[] bytes = text.split("\\.", -1);
        int address = 0;
        for (String each : bytes) {
            int value = Integer.parseInt(each);
            if (value < 0 || value > 255 || bytes.length != 4) {
                throw new NumberFormatException(text);
            }
            address = address << 8 | value;
        }
        return IpAddress.ipv4(address);
    }

    private static IpAddress ipv6(String text) {
        IpAddress address;
        try {
            address = IpAddress.of(InetAddress.ofLiteral(text));
        } catch (IllegalArgumentException e) {
            throw new NumberFormatException(e.getMessage());
        }
        if (address.isIpv4()) {
            throw new NumberFormatException(text);
        }
        return address;
    }

    /** The address that follows that of the other end of a link. */
    public static LinkAddress after(InetAddress other, int prefixBits) {
        IpAddress there = IpAddress.of(other);
        return of(there.next(), prefixBits, there);
    }

    /** Whether it is an IPv6 address, by the text of {@link #parse}. */
    public static boolean isIpv6(String text) {
        return text.indexOf(':') >= 0;
    }

    /** The address of the host. */
    public InetAddress address() {
        return address.inet();
    }

    public IpAddress ip() {
        return address;
    }

    /** The host on the link to which packets for this address go. */
    public IpAddress nextHop(IpAddress remote) {
        return address.sharesPrefix(remote, prefixBits) ? remote : gateway;
    }

    @Override
    public String toString() {
        return prefixBits == 0 ? address.toString() : address + "/" + prefixBits;
    }
}
