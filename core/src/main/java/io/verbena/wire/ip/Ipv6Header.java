package io.verbena.wire.ip;

import io.verbena.wire.Header;

/**
 * The header of an IPv6 packet.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |Version| Traffic Class |           Flow Label                  |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |         Payload Length        |  Next Header  |   Hop Limit   |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                 Source Address, 16 bytes                      |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |              Destination Address, 16 bytes                    |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Addresses are two words of eight bytes. {@link #check} says whether a packet is well formed; {@link Ipv6Extensions}
 * finds the content after extension headers. Source: RFC 8200 section 3.
 */
public final class Ipv6Header extends Header<Ipv6Header> {
    /** Bytes. */
    public static final int LENGTH = 40;

    public static final int ICMP = 58;
    public static final int TCP = 6;

    /** Every link carries packets of this size (RFC 8200 section 5). */
    public static final int LEAST_MTU = 1280;

    /** Outcome of {@link #check}. */
    public enum Check {
        OK,
        TOO_SHORT,
        BAD_VERSION,
        /** The payload is longer than the packet, or its length is 0, as in a jumbogram. */
        BAD_LENGTH
    }

    /** Checks the packet of {@code available} bytes at which this flyweight points. Bytes after it are padding. */
    public Check check(long available) {
        if (available < LENGTH) {
            return Check.TOO_SHORT;
        }
        if (bits(0, 0, 4) != 6) {
            return Check.BAD_VERSION;
        }
        boolean fits = payloadLength() > 0 && payloadLength() <= available - LENGTH;
        return fits ? Check.OK : Check.BAD_LENGTH;
    }

    /** Writes everything but the addresses. The flow label is 0. */
    public Ipv6Header write(int payloadLength, int nextHeader, int hopLimit, int trafficClass) {
        u32(0, 0x6000_0000 | trafficClass << 20);
        return u32(4, payloadLength << 16 | nextHeader << 8 | hopLimit);
    }

    /** Writes Source Address. */
    public Ipv6Header source(long high, long low) {
        return u128(8, high, low);
    }

    /** Writes Destination Address. */
    public Ipv6Header destination(long high, long low) {
        return u128(24, high, low);
    }

    /** Traffic Class: DSCP and ECN bits. */
    public int trafficClass() {
        return u32(0) >>> 20 & 0xff;
    }

    /** Payload Length: all bytes after this header. */
    public int payloadLength() {
        return u16(4);
    }

    /** Next Header. */
    public int nextHeader() {
        return u8(6);
    }

    /** Hop Limit. */
    public int hopLimit() {
        return u8(7);
    }

    /** The first eight bytes of Source Address. */
    public long sourceHigh() {
        return u64(8);
    }

    /** The last eight bytes of Source Address. */
    public long sourceLow() {
        return u64(16);
    }

    /** The first eight bytes of Destination Address. */
    public long destinationHigh() {
        return u64(24);
    }

    /** The last eight bytes of Destination Address. */
    public long destinationLow() {
        return u64(32);
    }

    /** Whether an address names a group of hosts; {@code high} is its first eight bytes. */
    public static boolean isMulticast(long high) {
        return high >>> 56 == 0xff;
    }

    /** The sum of the pseudo-header with the addresses of this header (RFC 8200 section 8.1). */
    public long pseudoHeader(int protocol, int length) {
        return InternetChecksum.pseudoHeader(
                sourceHigh(), sourceLow(), destinationHigh(), destinationLow(), protocol, length);
    }

    /** Appends one line such as {@code fd77:0:0:0:0:0:0:1 > fd77:0:0:0:0:0:0:2 next=6 len=60 hops=64}. */
    public StringBuilder describe(StringBuilder out) {
        address(out, sourceHigh(), sourceLow()).append(" > ");
        return address(out, destinationHigh(), destinationLow())
                .append(" next=")
                .append(nextHeader())
                .append(" len=")
                .append(payloadLength())
                .append(" hops=")
                .append(hopLimit());
    }

    static StringBuilder address(StringBuilder out, long high, long low) {
        for (int i = 0; i < 8; i++) {
            long word = i < 4 ? high : low;
            out.append(i == 0 ? "" : ":").append(Long.toHexString(word >>> 16 * (3 - (i & 3)) & 0xffff));
        }
        return out;
    }
}
