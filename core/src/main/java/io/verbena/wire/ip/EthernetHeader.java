package io.verbena.wire.ip;

import io.verbena.wire.Header;

/**
 * The header of an Ethernet frame.
 *
 * <pre>
 *   | destination 6 | source 6 | EtherType 2 |
 * </pre>
 *
 * <p>Addresses are numbers of 48 bits. Source: RFC 894, IEEE 802.3.
 */
public final class EthernetHeader extends Header<EthernetHeader> {
    /** Bytes. */
    public static final int LENGTH = 14;

    public static final int IPV4 = 0x0800;
    public static final int ARP = 0x0806;
    public static final int IPV6 = 0x86dd;

    /** The address of all stations. */
    public static final long BROADCAST = 0xffff_ffff_ffffL;

    private static final long IPV6_GROUPS = 0x3333L << 32;

    /** Whether {@code available} bytes hold the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Writes all fields. */
    public EthernetHeader write(long destination, long source, int type) {
        u48(0, destination);
        u48(6, source);
        return u16(12, type);
    }

    /** Destination address. */
    public long destination() {
        return u48(0);
    }

    /** Source address. */
    public long source() {
        return u48(6);
    }

    /** EtherType. */
    public int type() {
        return u16(12);
    }

    /** The address of the stations in a multicast group of IPv6; {@code low} is the group's last eight bytes (RFC 2464 section 7). */
    public static long ipv6Group(long low) {
        return IPV6_GROUPS | low & 0xffff_ffffL;
    }

    /** Whether the address names a group of stations, or all. */
    public static boolean isGroup(long address) {
        return (address >>> 40 & 1) != 0;
    }

    /** Appends for example {@code 02:00:00:00:00:01 > ff:ff:ff:ff:ff:ff type=0x0806}. */
    public StringBuilder describe(StringBuilder out) {
        describe(out, source()).append(" > ");
        return describe(out, destination()).append(String.format(" type=0x%04x", type()));
    }

    static StringBuilder describe(StringBuilder out, long address) {
        for (int shift = 40; shift >= 0; shift -= 8) {
            out.append(String.format("%02x", address >>> shift & 0xff)).append(shift > 0 ? ":" : "");
        }
        return out;
    }
}
