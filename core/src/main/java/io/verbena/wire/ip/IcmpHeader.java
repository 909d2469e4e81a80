package io.verbena.wire.ip;

import io.verbena.wire.Header;

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
 * <p>Source: RFC 792; next-hop MTU: RFC 1191 section 4.
 */
public final class IcmpHeader extends Header<IcmpHeader> {
    /** Bytes. */
    public static final int LENGTH = 8;

    public static final int ECHO_REPLY = 0;
    public static final int UNREACHABLE = 3;
    public static final int ECHO = 8;

    /** Codes of {@link #UNREACHABLE}. */
    public static final int PROTOCOL_UNREACHABLE = 2;

    public static final int PORT_UNREACHABLE = 3;
    public static final int FRAGMENTATION_NEEDED = 4;

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

    /** Next-hop MTU of {@link #FRAGMENTATION_NEEDED}; 0 from routers that do not state it. */
    public int nextHopMtu() {
        return u16(6);
    }

    /** Writes type and code, and the checksum of a message of this length. */
    public IcmpHeader finish(int type, int code, int messageBytes) {
        u8(0, type);
        u8(1, code);
        u16(2, 0);
        return u16(2, InternetChecksum.of(InternetChecksum.sum(segment(), offset(0), messageBytes)));
    }

    /** Appends for example {@code ICMP type=8 code=0}. */
    public StringBuilder describe(StringBuilder out) {
        return out.append("ICMP type=").append(type()).append(" code=").append(code());
    }
}
