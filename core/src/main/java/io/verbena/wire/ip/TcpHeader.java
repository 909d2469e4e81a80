package io.verbena.wire.ip;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The header of a TCP segment; {@link TcpOptionReader} decodes its options.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |          Source Port          |       Destination Port        |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                        Sequence Number                        |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                    Acknowledgment Number                      |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  | DOffset| Rsrvd |C|E|U|A|P|R|S|F|            Window            |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |           Checksum            |         Urgent Pointer        |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>A flyweight. Check {@link #fits} before use. Source: RFC 9293 section 3.1 [note].
 */
public final class TcpHeader {
    /** Bytes without options. */
    public static final int LENGTH = 20;

    /** Maximum number of bytes with options. */
    public static final int MAX_LENGTH = 60;

    public static final int FIN = 0x01;
    public static final int SYN = 0x02;
    public static final int RST = 0x04;
    public static final int PSH = 0x08;
    public static final int ACK = 0x10;
    public static final int URG = 0x20;

    /** ECN-Echo (RFC 3168 section 6.1). */
    public static final int ECE = 0x40;

    /** Congestion Window Reduced (RFC 3168 section 6.1). */
    public static final int CWR = 0x80;

    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int CHECKSUM = 16;

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Points this flyweight at the header that starts at {@code offset}. */
    public TcpHeader wrap(MemorySegment newSegment, long newOffset) {
        segment = newSegment;
        offset = newOffset;
        return this;
    }

    /** Whether {@code available} bytes hold the header with its options, so that all fields can be read. */
    public boolean fits(int available) {
        return available >= LENGTH && headerBytes() >= LENGTH && headerBytes() <= available;
    }

    /** Writes ports, sequence numbers, flags and header length; the other fields are set to zero. */
    public TcpHeader write(int ports, int sequence, int acknowledgment, int headerBytesAndFlags) {
        segment.set(U32, offset, ports);
        segment.set(U32, offset + 4, sequence);
        segment.set(U32, offset + 8, acknowledgment);
        // RFC 9293 section 3.1 [note]: reserved bits are sent as zero.
        segment.set(U32, offset + 12, headerBytesAndFlags << 16);
        segment.set(U32, offset + CHECKSUM, 0);
        return this;
    }

    /** The last argument of {@link #write}. */
    public static int lengthAndFlags(int headerBytes, int flags) {
        return headerBytes / 4 << 12 | flags;
    }

    /** Source Port in the upper 16 bits, Destination Port in the lower ones. */
    public int ports() {
        return segment.get(U32, offset);
    }

    /** Source Port. */
    public int sourcePort() {
        return segment.get(U16, offset) & 0xffff;
    }

    /** Destination Port. */
    public int destinationPort() {
        return segment.get(U16, offset + 2) & 0xffff;
    }

    /** Sequence Number. */
    public int sequence() {
        return segment.get(U32, offset + 4);
    }

    /** Acknowledgment Number. */
    public int acknowledgment() {
        return segment.get(U32, offset + 8);
    }

    /** Four times DOffset: 0 to 60. */
    public int headerBytes() {
        return (segment.get(U8, offset + 12) & 0xf0) >> 2;
    }

    /** The control bits CWR to FIN. */
    public int flags() {
        return segment.get(U8, offset + 13) & 0xff;
    }

    /** Sets PSH. */
    public TcpHeader push() {
        return add(PSH);
    }

    /** Sets further control bits. */
    public TcpHeader add(int bits) {
        segment.set(U8, offset + 13, (byte) (flags() | bits));
        return this;
    }

    /** Window, not scaled. RFC 9293 section 3.1 [1]: an unsigned number. */
    public int window() {
        return segment.get(U16, offset + 14) & 0xffff;
    }

    /** Writes the window field. */
    public TcpHeader window(int value) {
        segment.set(U16, offset + 14, (short) value);
        return this;
    }

    /** Checksum. */
    public int checksum() {
        return segment.get(U16, offset + CHECKSUM) & 0xffff;
    }

    /** Writes the checksum field. */
    public TcpHeader checksum(int value) {
        segment.set(U16, offset + CHECKSUM, (short) value);
        return this;
    }

    /** Urgent Pointer. */
    public int urgentPointer() {
        return segment.get(U16, offset + 18) & 0xffff;
    }

    /** Appends one line such as {@code 7471 > 49152 SYN.ACK seq=1 ack=2 win=65535}. */
    public StringBuilder describe(StringBuilder out) {
        out.append(sourcePort()).append(" > ").append(destinationPort()).append(' ');
        flags(out, flags());
        out.append(" seq=").append(Integer.toUnsignedLong(sequence()));
        if ((flags() & ACK) != 0) {
            out.append(" ack=").append(Integer.toUnsignedLong(acknowledgment()));
        }
        return out.append(" win=").append(window());
    }

    private static void flags(StringBuilder out, int flags) {
        String[] names = {"FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR"};
        int start = out.length();
        for (int i = 0; i < names.length; i++) {
            if ((flags & 1 << i) != 0) {
                out.append(out.length() > start ? "." : "").append(names[i]);
            }
        }
        if (out.length() == start) {
            out.append("none");
        }
    }
}
