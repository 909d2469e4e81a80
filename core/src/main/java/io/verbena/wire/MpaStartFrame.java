package io.verbena.wire;

import java.lang.foreign.MemorySegment;

/**
 * An MPA Request or Reply frame, without its private data.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                                                               |
 *  +                              Key                              +
 *  |                                                               |
 *  +                  "MPA ID Req Frame" (request)                 +
 *  |                  "MPA ID Rep Frame" (reply)                   |
 *  +                                                               +
 *  |                                                               |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |M|C|R|S|  Res  |      Rev      |           PD_Length           |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  ~             Private data (with S: MpaEnhanced first)          ~
 * </pre>
 *
 * <p>Call {@link #check} before use. Source: RFC 5044 section 7.1.1, RFC 6581 section 6.
 */
public final class MpaStartFrame extends Header<MpaStartFrame> {
    /** Bytes without private data. */
    public static final int LENGTH = 20;
    /** Bytes of the key. */
    public static final int KEY_LENGTH = 16;
    /** Maximum length of the private data in bytes, {@link MpaEnhanced} included. */
    public static final int MAX_PRIVATE_DATA = 512;
    /** The longest frame, bytes. */
    public static final int MAX_LENGTH = LENGTH + MAX_PRIVATE_DATA;
    /** Revision of RFC 5044. */
    public static final int REV_1 = 1;
    /** Revision of RFC 6581, needed for S. */
    public static final int REV_2 = 2;

    /** Kind of the frame according to its key. */
    public enum Kind {
        /** From the initiator. */
        REQUEST,
        /** From the responder. */
        REPLY,
        /** No key of MPA. */
        NEITHER
    }

    /** Result of {@link #check}. */
    public enum Check {
        /** A whole, well-formed frame of the kind expected. */
        OK,
        /** Well-formed so far; more bytes are needed. */
        INCOMPLETE,
        /** Not the key expected: the connection is closed. */
        WRONG_KEY,
        /** More private data than 512 bytes: the connection is closed. */
        PRIVATE_DATA_TOO_LONG,
        /**
         * S is set in revision 2 or later, but the private data is shorter than the four bytes of {@link MpaEnhanced}.
         */
        ENHANCED_DATA_MISSING
    }

    private static final int FLAGS = 16;
    private static final int REV = 17;
    private static final int PD_LENGTH = 18;

    private static final int S = 0x10;

    /** "MPA ID R", the common first half of both keys. */
    private static final long KEY_HIGH = 0x4d50412049442052L;
    /** "eq Frame". */
    private static final long KEY_LOW_REQUEST = 0x6571204672616d65L;
    /** "ep Frame". */
    private static final long KEY_LOW_REPLY = 0x6570204672616d65L;

    /** Whether {@code available} bytes hold the frame without private data. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /**
     * Checks the available part of a frame, which may be incomplete; a wrong key is detected at its first wrong byte.
     *
     * @param expected REQUEST or REPLY
     */
    public static Check check(MemorySegment segment, long offset, long available, Kind expected) {
        // RFC 5044 section 7.1.1 [2, 4]: any key but the expected one ends the connection.
        int keyBytes = Math.clamp(available, 0, KEY_LENGTH);
        for (int i = 0; i < keyBytes; i++) {
            if (segment.get(U8, offset + i) != keyByte(expected, i)) {
                return Check.WRONG_KEY;
            }
        }
        if (available < LENGTH) {
            return Check.INCOMPLETE;
        }
        int flags = segment.get(U8, offset + FLAGS);
        int rev = segment.get(U8, offset + REV) & 0xff;
        int pdLength = segment.get(U16, offset + PD_LENGTH) & 0xffff;
        // RFC 5044 section 7.1.1 [15]: more than 512 bytes of private data end the connection.
        if (pdLength > MAX_PRIVATE_DATA) {
            return Check.PRIVATE_DATA_TOO_LONG;
        }
        // RFC 6581 section 6 [5]: with S the private data begins with the enhanced set-up data.
        if ((flags & S) != 0 && rev >= REV_2 && pdLength < MpaEnhanced.LENGTH) {
            return Check.ENHANCED_DATA_MISSING;
        }
        return available < LENGTH + pdLength ? Check.INCOMPLETE : Check.OK;
    }

    private static byte keyByte(Kind kind, int index) {
        long half = index < Long.BYTES ? KEY_HIGH : kind == Kind.REQUEST ? KEY_LOW_REQUEST : KEY_LOW_REPLY;
        return (byte) (half >>> (Long.BYTES - 1 - (index & Long.BYTES - 1)) * Byte.SIZE);
    }

    /** Key: which of the two it is. */
    public Kind kind() {
        if (u64(0) != KEY_HIGH) {
            return Kind.NEITHER;
        }
        long low = u64(Long.BYTES);
        return low == KEY_LOW_REQUEST ? Kind.REQUEST : low == KEY_LOW_REPLY ? Kind.REPLY : Kind.NEITHER;
    }

    /** Writes Key; {@code NEITHER} writes zeros. */
    public MpaStartFrame kind(Kind value) {
        boolean neither = value == Kind.NEITHER;
        u64(0, neither ? 0 : KEY_HIGH);
        return u64(Long.BYTES, neither ? 0 : value == Kind.REQUEST ? KEY_LOW_REQUEST : KEY_LOW_REPLY);
    }

    /** The flags byte: M, C, R, S and the reserved bits, 0 to 255. */
    public int flags() {
        return u8(FLAGS);
    }

    /** Writes the flags byte; begin with 0 to clear the reserved bits. */
    public MpaStartFrame flags(int value) {
        return u8(FLAGS, value);
    }

    /** M: the sender of this frame needs markers in what it receives. */
    public boolean m() {
        return flag(FLAGS, 0);
    }

    public MpaStartFrame m(boolean value) {
        return flag(FLAGS, 0, value);
    }

    /** C: the sender of this frame requests CRCs. */
    public boolean c() {
        return flag(FLAGS, 1);
    }

    public MpaStartFrame c(boolean value) {
        return flag(FLAGS, 1, value);
    }

    /** R: the connection is rejected; meaningful in a reply only. */
    public boolean r() {
        return flag(FLAGS, 2);
    }

    public MpaStartFrame r(boolean value) {
        return flag(FLAGS, 2, value);
    }

    /** S: the private data begins with {@link MpaEnhanced}; see {@link #enhanced()}. */
    public boolean s() {
        return flag(FLAGS, 3);
    }

    public MpaStartFrame s(boolean value) {
        return flag(FLAGS, 3, value);
    }

    /** Res: the four reserved bits; not checked by receivers. S is not one of them. */
    public int res() {
        return bits(FLAGS, 4, 4);
    }

    /** Whether enhanced set-up is used: S in revision 2 or later; in revision 1 the bit is reserved. */
    public boolean enhanced() {
        // RFC 6581 section 6 [3]: enhanced features need revision 2; RFC 5044 section 7.1.1 [10]: Res is not checked.
        return s() && rev() >= REV_2;
    }

    /** Rev: the revision of MPA, 0 to 255. */
    public int rev() {
        return u8(REV);
    }

    public MpaStartFrame rev(int value) {
        return u8(REV, value);
    }

    /** PD_Length: bytes of private data, {@link MpaEnhanced} included, 0 to 65535; valid to 512. */
    public int pdLength() {
        return u16(PD_LENGTH);
    }

    public MpaStartFrame pdLength(int value) {
        return u16(PD_LENGTH, value);
    }

    /** Bytes of the whole frame with its private data. */
    public int frameLength() {
        return LENGTH + pdLength();
    }

    /** Appends one line such as {@code MPA request rev=2 CRC enhanced pd=4}. */
    public StringBuilder describe(StringBuilder out) {
        out.append(
                switch (kind()) {
                    case REQUEST -> "MPA request rev=";
                    case REPLY -> "MPA reply rev=";
                    case NEITHER -> "MPA bad key rev=";
                });
        out.append(rev()).append(m() ? " markers" : "").append(c() ? " CRC" : "");
        out.append(r() ? " reject" : "").append(s() ? " enhanced" : "");
        if (res() != 0) {
            Hex.append(out.append(" res=0x"), res(), 1);
        }
        return out.append(" pd=").append(pdLength());
    }
}
