package io.verbena.wire.ip;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

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
 * <p>A flyweight. Check {@link #fits} before use. Source: RFC 4443 section 2.1. The checksum covers the pseudo-header of IPv6.
 */
public final class Icmpv6Header {
    /** Bytes. */
    public static final int LENGTH = 8;

    public static final int UNREACHABLE = 1;
    public static final int PACKET_TOO_BIG = 2;
    public static final int ECHO = 128;
    public static final int ECHO_REPLY = 129;

    /** Code of {@link #UNREACHABLE}. */
    public static final int PORT_UNREACHABLE = 4;

    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes hold the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the header that starts at {@code offset}. */
    public Icmpv6Header wrap(MemorySegment newSegment, long newOffset) {
        segment = newSegment;
        offset = newOffset;
        return this;
    }

    /** Type. */
    public int type() {
        return segment.get(U8, offset) & 0xff;
    }

    /** Code. */
    public int code() {
        return segment.get(U8, offset + 1) & 0xff;
    }

    /** MTU of {@link #PACKET_TOO_BIG}: 32 bits. */
    public long mtu() {
        return segment.get(U32, offset + 4) & 0xffff_ffffL;
    }

    /** Writes type and code, and the checksum of a message of this length with this pseudo-header. */
    public Icmpv6Header finish(int type, int code, long pseudoHeader, int messageBytes) {
        segment.set(U8, offset, (byte) type);
        segment.set(U8, offset + 1, (byte) code);
        segment.set(U16, offset + 2, (short) 0);
        long sum = pseudoHeader + InternetChecksum.sum(segment, offset, messageBytes);
        segment.set(U16, offset + 2, (short) InternetChecksum.of(sum));
        return this;
    }

    /** Appends for example {@code ICMPv6 type=128 code=0}. */
    public StringBuilder describe(StringBuilder out) {
        return out.append("ICMPv6 type=").append(type()).append(" code=").append(code());
    }
}
