package io.verbena.tcp.flow;

import io.verbena.base.PacketPath;
import io.verbena.port.Addresses;
import io.verbena.wire.ip.Ipv6Header;
import java.net.InetAddress;

/**
 * An IP address as two words of eight bytes; an IPv4 address is ::ffff:a.b.c.d.
 *
 * @param high the first eight bytes
 * @param low the last eight bytes
 */
public record IpAddress(long high, long low) {

    /** The upper half of the lower eight bytes of an IPv4 address in IPv6 form. */
    private static final long MAPPED = 0xffffL << 32;

    /** The IPv6 address ::, which a host without an address uses. */
    public static final IpAddress UNSPECIFIED = new IpAddress(0, 0);

    private static final IpAddress LOOPBACK = new IpAddress(0, 1);

    public static IpAddress of(InetAddress address) {
        return new IpAddress(Addresses.high(address), Addresses.low(address));
    }

    public static IpAddress ipv4(int address) {
        return new IpAddress(0, mapped(address));
    }

    /** The lower word of an IPv4 address. */
    public static long mapped(int address) {
        return MAPPED | Integer.toUnsignedLong(address);
    }

    public boolean isIpv4() {
        return PacketPath.ipv4(high, low);
    }

    /** The IPv4 address as a number. */
    public int ipv4() {
        return (int) low;
    }

    /** Whether it can be the address of one host: RFC 9293 section 3.9.1.1 [6]. */
    public boolean isUnicast() {
        if (isIpv4()) {
            int first = ipv4() >>> 24;
            return first != 0 && first < 224;
        }
        return !isUnspecified() && !Ipv6Header.isMulticast(high) && !isLoopback();
    }

    /** Whether it is the IPv6 address ::1, which no packet of a link has. */
    public boolean isLoopback() {
        return equals(LOOPBACK);
    }

    /** Whether it is {@link #UNSPECIFIED}. */
    public boolean isUnspecified() {
        return (high | low) == 0;
    }

    /** Whether it is an IPv6 address that is valid on one link only: RFC 4291 section 2.5.6. */
    public boolean isLinkLocal() {
        return high >>> 54 == 0xfe80 >>> 6;
    }

    /** Whether the first bits are those of another address of the same version of IP. */
    public boolean sharesPrefix(IpAddress other, int bits) {
        return isIpv4() == other.isIpv4() && host(other, bits).isUnspecified();
    }

    /** The bits in which both differ within the prefix. */
    private IpAddress host(IpAddress other, int bits) {
        int all = isIpv4() ? bits + 96 : bits;
        return new IpAddress((high ^ other.high) & mask(all), (low ^ other.low) & mask(all - 64));
    }

    /** Whether the bits after a prefix are all 0, as in the address of a network. */
    public boolean isNetwork(int bits) {
        int all = isIpv4() ? bits + 96 : bits;
        return (high & ~mask(all)) == 0 && (low & ~mask(all - 64)) == 0;
    }

    private static long mask(int bits) {
        return bits <= 0 ? 0 : bits >= 64 ? -1 : -1L << 64 - bits;
    }

    public IpAddress next() {
        return new IpAddress(high, low + 1);
    }

    public InetAddress inet() {
        return Addresses.address(high, low);
    }

    @Override
    public String toString() {
        return inet().getHostAddress();
    }
}
