package io.verbena.wire.ip;

import io.verbena.wire.Header;

/**
 * The header of an ICMPv6 message. An error message continues with as much of the packet that caused it as fits.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |     Type      |     Code      |          Checksum             |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |  unused, MTU (packet too big), or identifier and number (echo)|
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Source: RFC 4443 section 2.1. The checksum covers the pseudo-header of IPv6.
 */
public final class Icmpv6Header extends Header<Icmpv6Header> {
    /** Bytes. */
    public static final int LENGTH = 8;

    public static final int UNREACHABLE = 1;
    public static final int PACKET_TOO_BIG = 2;
    public static final int ECHO = 128;
    public static final int ECHO_REPLY = 129;

    /** Code of {@link #UNREACHABLE}. */
    public static final int PORT_UNREACHABLE = 4;

    /** Whether {@code available} bytes hold the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Type. */
    public int type() {
        return u8(0);
    }

    /** Code. */
    public int code() {
        return u8(1);
    }

    /** MTU of {@link #PACKET_TOO_BIG}: 32 bits. */
    public long mtu() {
        return u32(4) & 0xffff_ffffL;
    }

    /** Writes type and code, and the checksum of a message of this length with this pseudo-header. */
    public Icmpv6Header finish(int type, int code, long pseudoHeader, int messageBytes) {
        u8(0, type);
        u8(1, code);
        u16(2, 0);
        long sum = pseudoHeader + InternetChecksum.sum(segment(), offset(0), messageBytes);
        return u16(2, InternetChecksum.of(sum));
    }

    /** Appends for example {@code ICMPv6 type=128 code=0}. */
    public StringBuilder describe(StringBuilder out) {
        return out.append("ICMPv6 type=").append(type()).append(" code=").append(code());
    }
}
