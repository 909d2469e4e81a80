package io.verbena.port;

import io.verbena.base.PacketPath;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Addresses as paths and words. */
public final class Addresses {

    private Addresses() {}

    /** The path to an address. */
    public static PacketPath path(InetSocketAddress remote, int trafficClass) {
        if (remote.isUnresolved()) {
            throw new IllegalArgumentException(remote + " is not resolved: resolve it first");
        }
        InetAddress address = remote.getAddress();
        return new PacketPath(high(address), low(address), remote.getPort(), trafficClass);
    }

    /** The first eight bytes of an address as IPv6 has it; 0 for IPv4. */
    public static long high(InetAddress address) {
        byte[] bytes = address.getAddress();
        return bytes.length == 4 ? 0 : word(bytes, 0);
    }

    /** The last eight bytes of an address as IPv6 has it; an IPv4 address counts as ::ffff:a.b.c.d. */
    public static long low(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length != 4) {
            return word(bytes, 8);
        }
        long low = 0xffff;
        for (byte each : bytes) {
            low = low << 8 | each & 0xff;
        }
        return low;
    }

    private static long word(byte[] bytes, int from) {
        long word = 0;
        for (int i = from; i < from + 8; i++) {
            word = word << 8 | bytes[i] & 0xff;
        }
        return word;
    }

    /** The address of two words; an IPv4 address that is mapped into IPv6 becomes one of IPv4. */
    public static InetAddress address(long high, long low) {
        StringBuilder literal = new StringBuilder(39);
        if (PacketPath.ipv4(high, low)) {
            for (int shift = 24; shift >= 0; shift -= 8) {
                literal.append(low >>> shift & 0xff).append(shift == 0 ? "" : ".");
            }
        } else {
            for (int i = 0; i < 8; i++) {
                long word = i < 4 ? high : low;
                literal.append(i == 0 ? "" : ":").append(Long.toHexString(word >>> 16 * (3 - (i & 3)) & 0xffff));
            }
        }
        return InetAddress.ofLiteral(literal.toString());
    }
}
