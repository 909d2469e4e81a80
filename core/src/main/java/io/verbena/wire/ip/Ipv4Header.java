package io.verbena.wire.ip;

import io.verbena.wire.Header;

/**
 * The header of an IPv4 packet.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |Version|  IHL  |Type of Service|          Total Length         |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |         Identification        |Flags|      Fragment Offset    |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |  Time to Live |    Protocol   |         Header Checksum       |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                       Source Address                          |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                    Destination Address                        |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>{@link #check} says whether a packet is well formed. Source: RFC 791 section 3.1.
 */
public final class Ipv4Header extends Header<Ipv4Header> {
    /** Bytes without options. */
    public static final int LENGTH = 20;

    public static final int ICMP = 1;
    public static final int TCP = 6;

    /** The flag "do not fragment" in {@link #fragment}. */
    public static final int DO_NOT_FRAGMENT = 0x4000;

    private static final int MORE_OR_OFFSET = 0x3fff;

    /** Outcome of {@link #check}. */
    public enum Check {
        OK,
        TOO_SHORT,
        BAD_VERSION,
        BAD_LENGTH,
        BAD_CHECKSUM,
        /** A fragment: well formed, but not the whole packet. */
        FRAGMENT
    }

    /** Checks the packet of {@code available} bytes at which this flyweight points. Bytes after it are padding. */
    public Check check(int available) {
        if (available < LENGTH) {
            return Check.TOO_SHORT;
        }
        if (version() != 4) {
            return Check.BAD_VERSION;
        }
        if (headerBytes() < LENGTH || totalLength() < headerBytes() || totalLength() > available) {
            return Check.BAD_LENGTH;
        }
        if (!InternetChecksum.intact(InternetChecksum.sum(segment(), offset(0), headerBytes()))) {
            return Check.BAD_CHECKSUM;
        }
        return (fragment() & MORE_OR_OFFSET) == 0 ? Check.OK : Check.FRAGMENT;
    }

    /** Writes a header without options, except the checksum. */
    public Ipv4Header write(int totalLength, int identification, int protocol, int ttl) {
        u32(0, 0x4500_0000 | totalLength);
        u32(4, identification << 16 | DO_NOT_FRAGMENT);
        return u32(8, ttl << 24 | protocol << 16);
    }

    /** Type of Service: DSCP and ECN bits (RFC 3168 section 5). */
    public int typeOfService() {
        return u8(1);
    }

    /** Writes Type of Service, before {@link #addresses}. */
    public Ipv4Header typeOfService(int value) {
        return u8(1, value);
    }

    /** Writes the addresses and then the checksum. */
    public Ipv4Header addresses(int source, int destination) {
        u32(12, source);
        u32(16, destination);
        u16(10, 0);
        return u16(10, InternetChecksum.of(InternetChecksum.sum(segment(), offset(0), headerBytes())));
    }

    /** Version. */
    public int version() {
        return bits(0, 0, 4);
    }

    /** Four times IHL: 0 to 60. */
    public int headerBytes() {
        return 4 * bits(0, 4, 4);
    }

    /** Total Length. */
    public int totalLength() {
        return u16(2);
    }

    /** Identification. */
    public int identification() {
        return u16(4);
    }

    /** Flags and Fragment Offset. */
    public int fragment() {
        return u16(6);
    }

    /** Time to Live. */
    public int ttl() {
        return u8(8);
    }

    /** Protocol. */
    public int protocol() {
        return u8(9);
    }

    /** Source Address. */
    public int source() {
        return u32(12);
    }

    /** Destination Address. */
    public int destination() {
        return u32(16);
    }

    /** Appends one line such as {@code 10.0.0.1 > 10.0.0.2 proto=6 len=60 ttl=64}. */
    public StringBuilder describe(StringBuilder out) {
        address(out, source()).append(" > ");
        return address(out, destination())
                .append(" proto=")
                .append(protocol())
                .append(" len=")
                .append(totalLength())
                .append(" ttl=")
                .append(ttl());
    }

    static StringBuilder address(StringBuilder out, int address) {
        return out.append(address >>> 24)
                .append('.')
                .append(address >>> 16 & 0xff)
                .append('.')
                .append(address >>> 8 & 0xff)
                .append('.')
                .append(address & 0xff);
    }
}
