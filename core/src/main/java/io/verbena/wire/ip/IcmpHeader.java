package io.verbena.wire.ip;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The header of an ICMP message. An error message continues with the IP header and the first eight bytes of the packet that caused
 * it.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |     Type      |     Code      |          Checksum             |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |  unused, or identifier (echo) | next-hop MTU, or number (echo)|
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>A flyweight. Check {@link #fits} before use. Source: RFC 792; next-hop MTU: RFC 1191 section 4.
 */
public final class IcmpHeader {
    /** Bytes. */
    public static final int LENGTH = 8;

    public static final int ECHO_REPLY = 0;
    public static final int UNREACHABLE = 3;
    public static final int ECHO = 8;

    /** Codes of {@link #UNREACHABLE}. */
    public static final int PROTOCOL_UNREACHABLE = 2;

    public static final int PORT_UNREACHABLE = 3;
    public static final int FRAGMENTATION_NEEDED = 4;

    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes hold the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the header that starts at {@code offset}. */
    public IcmpHeader wrap(MemorySegment newSegment, long newOffset) {
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

    /** Next-hop MTU of {@link #FRAGMENTATION_NEEDED}; 0 from routers that do not state it. */
    public int nextHopMtu() {
        return segment.get(U16, offset + 6) & 0xffff;
    }

    /** Writes type and code, and the checksum of a message of this length. */
    public IcmpHeader finish(int type, int code, int messageBytes) {
        segment.set(U8, offset, (byte) type);
        segment.set(U8, offset + 1, (byte) code);
        segment.set(U16, offset + 2, (short) 0);
        segment.set(U16, offset + 2, (short) InternetChecksum.of(InternetChecksum.sum(segment, offset, messageBytes)));
        return this;
    }

    /** Appends for example {@code ICMP type=8 code=0}. */
    public StringBuilder describe(StringBuilder out) {
        return out.append("ICMP type=").append(type()).append(" code=").append(code());
    }
}
