package io.verbena.wire.ip;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

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
 * <p>A flyweight. {@link #check} says whether a packet is well formed. Source: RFC 791 section 3.1.
 */
public final class Ipv4Header {
    /** Bytes without options. */
    public static final int LENGTH = 20;

    public static final int ICMP = 1;
    public static final int TCP = 6;

    /** The flag "do not fragment" in {@link #fragment}. */
    public static final int DO_NOT_FRAGMENT = 0x4000;

    private static final int MORE_OR_OFFSET = 0x3fff;
    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

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

    /** Points this flyweight at the header that starts at {@code offset}. */
    public Ipv4Header wrap(MemorySegment newSegment, long newOffset) {
        segment = newSegment;
        offset = newOffset;
        return this;
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
        if (!InternetChecksum.intact(InternetChecksum.sum(segment, offset, headerBytes()))) {
            return Check.BAD_CHECKSUM;
        }
        return (fragment() & MORE_OR_OFFSET) == 0 ? Check.OK : Check.FRAGMENT;
    }

    /** Writes a header without options, except the checksum. */
    public Ipv4Header write(int totalLength, int identification, int protocol, int ttl) {
        segment.set(U32, offset, 0x4500_0000 | totalLength);
        segment.set(U32, offset + 4, identification << 16 | DO_NOT_FRAGMENT);
        segment.set(U32, offset + 8, ttl << 24 | protocol << 16);
        return this;
    }

    /** Type of Service: DSCP and ECN bits (RFC 3168 section 5). */
    public int typeOfService() {
        return segment.get(U8, offset + 1) & 0xff;
    }

    /** Writes Type of Service, before {@link #addresses}. */
    public Ipv4Header typeOfService(int value) {
        segment.set(U8, offset + 1, (byte) value);
        return this;
    }

    /** Writes the addresses and then the checksum. */
    public Ipv4Header addresses(int source, int destination) {
        segment.set(U32, offset + 12, source);
        segment.set(U32, offset + 16, destination);
        segment.set(U16, offset + 10, (short) 0);
        segment.set(
                U16, offset + 10, (short) InternetChecksum.of(InternetChecksum.sum(segment, offset, headerBytes())));
        return this;
    }

    /** Version. */
    public int version() {
        return (segment.get(U8, offset) & 0xf0) >> 4;
    }

    /** Four times IHL: 0 to 60. */
    public int headerBytes() {
        return (segment.get(U8, offset) & 0x0f) * 4;
    }

    /** Total Length. */
    public int totalLength() {
        return segment.get(U16, offset + 2) & 0xffff;
    }

    /** Identification. */
    public int identification() {
        return segment.get(U16, offset + 4) & 0xffff;
    }

    /** Flags and Fragment Offset. */
    public int fragment() {
        return segment.get(U16, offset + 6) & 0xffff;
    }

    /** Time to Live. */
    public int ttl() {
        return segment.get(U8, offset + 8) & 0xff;
    }

    /** Protocol. */
    public int protocol() {
        return segment.get(U8, offset + 9) & 0xff;
    }

    /** Source Address. */
    public int source() {
        return segment.get(U32, offset + 12);
    }

    /** Destination Address. */
    public int destination() {
        return segment.get(U32, offset + 16);
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
