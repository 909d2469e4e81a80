package io.verbena.tcp;

import java.net.InetAddress;

/**
 * The address of a host on a link, and the way to other networks.
 *
 * @param address its IPv4 address
 * @param prefixBits length of the prefix that all hosts on the link share, 1 to 30
 * @param gateway address on the link of the router to all other networks
 */
public record LinkAddress(InetAddress address, int prefixBits, InetAddress gateway) {

    /** Checks that the three fit together. */
    public LinkAddress {
        if (prefixBits < 1 || prefixBits > 30) {
            throw new IllegalArgumentException("the prefix must have 1 to 30 bits, not " + prefixBits);
        }
        int host = FlowKey.number(address);
        if ((host & ~mask(prefixBits)) == 0 || (host | mask(prefixBits)) == -1) {
            throw new IllegalArgumentException(
                    address.getHostAddress() + "/" + prefixBits + " is the address of a network, not of a host");
        }
        if (((host ^ FlowKey.number(gateway)) & mask(prefixBits)) != 0) {
            throw new IllegalArgumentException("the gateway " + gateway.getHostAddress() + " is not in the network of "
                    + address.getHostAddress() + "/" + prefixBits);
        }
    }

    /**
     * Parses {@code 10.77.0.2/24}; the gateway is the other end of the link.
     *
     * @throws IllegalArgumentException with a sentence
     */
    public static LinkAddress parse(String text, InetAddress gateway) {
        String[] parts = text.split("/", 2);
        try {
            return new LinkAddress(number(parts[0]), Integer.parseInt(parts[1]), gateway);
        } catch (ArrayIndexOutOfBoundsException | NumberFormatException e) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not an IPv4 address with a prefix, such as 10.77.0.2/24", e);
        }
    }

    /** Never a name to look up. */
    private static InetAddress number(String text) {
        String[] bytes = text.split("\\.", -1);
        int address = 0;
        for (String each : bytes) {
            int value = Integer.parseInt(each);
            if (value < 0 || value > 255 || bytes.length != 4) {
                throw new NumberFormatException(text);
            }
            address = address << 8 | value;
        }
        return FlowKey.inet(address);
    }

    /** The address that follows that of the other end of a link. */
    public static LinkAddress after(InetAddress other, int prefixBits) {
        return new LinkAddress(FlowKey.inet(FlowKey.number(other) + 1), prefixBits, other);
    }

    private static int mask(int bits) {
        return -1 << 32 - bits;
    }

    /** The host on the link to which packets for this address go. */
    int nextHop(int remote) {
        boolean onLink = ((remote ^ FlowKey.number(address)) & mask(prefixBits)) == 0;
        return onLink ? remote : FlowKey.number(gateway);
    }

    @Override
    public String toString() {
        return address.getHostAddress() + "/" + prefixBits;
    }
}
