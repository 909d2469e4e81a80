package io.verbena.wire.ip;

import io.verbena.wire.Header;

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
 * <p>Source: RFC 9293 section 3.1 [note].
 */
public final class TcpHeader extends Header<TcpHeader> {
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

    private static final int CHECKSUM = 16;

    /** Whether {@code available} bytes hold the header with its options, so that all fields can be read. */
    public boolean fits(int available) {
        return available >= LENGTH && headerBytes() >= LENGTH && headerBytes() <= available;
    }

    /** Writes ports, sequence numbers, flags and header length; the other fields are set to zero. */
    public TcpHeader write(int ports, int sequence, int acknowledgment, int headerBytesAndFlags) {
        u32(0, ports);
        u32(4, sequence);
        u32(8, acknowledgment);
        // RFC 9293 section 3.1 [note]: reserved bits are sent as zero.
        u32(12, headerBytesAndFlags << 16);
        return u32(CHECKSUM, 0);
    }

    /** The last argument of {@link #write}. */
    public static int lengthAndFlags(int headerBytes, int flags) {
        return headerBytes / 4 << 12 | flags;
    }

    /** Source Port in the upper 16 bits, Destination Port in the lower ones. */
    public int ports() {
        return u32(0);
    }

    /** Source Port. */
    public int sourcePort() {
        return u16(0);
    }

    /** Destination Port. */
    public int destinationPort() {
        return u16(2);
    }

    /** Sequence Number. */
    public int sequence() {
        return u32(4);
    }

    /** Acknowledgment Number. */
    public int acknowledgment() {
        return u32(8);
    }

    /** Four times DOffset: 0 to 60. */
    public int headerBytes() {
        return 4 * bits(12, 0, 4);
    }

    /** The control bits CWR to FIN. */
    public int flags() {
        return u8(13);
    }

    /** Sets PSH. */
    public TcpHeader push() {
        return add(PSH);
    }

    /** Sets further control bits. */
    public TcpHeader add(int bits) {
        return u8(13, flags() | bits);
    }

    /** Window, not scaled. RFC 9293 section 3.1 [1]: an unsigned number. */
    public int window() {
        return u16(14);
    }

    public TcpHeader window(int value) {
        return u16(14, value);
    }

    /** Checksum. */
    public int checksum() {
        return u16(CHECKSUM);
    }

    public TcpHeader checksum(int value) {
        return u16(CHECKSUM, value);
    }

    /** Urgent Pointer. */
    public int urgentPointer() {
        return u16(18);
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
