package io.verbena.wire;

/**
 * The enhanced connection set-up data: the first four bytes of the private data of an MPA frame with S set.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |A|B|           IRD             |C|D|            ORD            |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Source: RFC 6581 section 9.
 */
public final class MpaEnhanced extends Header<MpaEnhanced> {
    /** Bytes. */
    public static final int LENGTH = 4;
    /** Maximum depth of the 14-bit field. */
    public static final int MAX_DEPTH = 0x3fff;

    private static final int IRD_WORD = 0;
    private static final int ORD_WORD = 2;

    /** Whether {@code available} bytes hold the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** The first word: A, B and IRD as on the wire, 16 bits. */
    public int irdWord() {
        return u16(IRD_WORD);
    }

    public MpaEnhanced irdWord(int value) {
        return u16(IRD_WORD, value);
    }

    /** The second word: C, D and ORD as on the wire, 16 bits. */
    public int ordWord() {
        return u16(ORD_WORD);
    }

    public MpaEnhanced ordWord(int value) {
        return u16(ORD_WORD, value);
    }

    /** A: the peer-to-peer model is used, so the initiator must send an RTR indication first. */
    public boolean a() {
        return flag(IRD_WORD, 0);
    }

    public MpaEnhanced a(boolean value) {
        return flag(IRD_WORD, 0, value);
    }

    /** B: a zero-length Send may be the RTR indication. */
    public boolean b() {
        return flag(IRD_WORD, 1);
    }

    public MpaEnhanced b(boolean value) {
        return flag(IRD_WORD, 1, value);
    }

    /** C: a zero-length Write may be the RTR indication. */
    public boolean c() {
        return flag(ORD_WORD, 0);
    }

    public MpaEnhanced c(boolean value) {
        return flag(ORD_WORD, 0, value);
    }

    /** D: a zero-length Read may be the RTR indication. */
    public boolean d() {
        return flag(ORD_WORD, 1);
    }

    public MpaEnhanced d(boolean value) {
        return flag(ORD_WORD, 1, value);
    }

    /** IRD: inbound Read depth, 0 to 16383. */
    public int ird() {
        return irdWord() & MAX_DEPTH;
    }

    /** Writes IRD; keeps the flags. */
    public MpaEnhanced ird(int value) {
        return irdWord(irdWord() & ~MAX_DEPTH | value & MAX_DEPTH);
    }

    /** ORD: outbound Read depth, 0 to 16383. */
    public int ord() {
        return ordWord() & MAX_DEPTH;
    }

    /** Writes ORD; keeps the flags. */
    public MpaEnhanced ord(int value) {
        return ordWord(ordWord() & ~MAX_DEPTH | value & MAX_DEPTH);
    }

    /** Clears all four bytes: no flags, depths of zero. */
    public MpaEnhanced clear() {
        return irdWord(0).ordWord(0);
    }

    /** Appends one line such as {@code ird=1 ord=1 peer-to-peer rtr=write,read}. */
    public StringBuilder describe(StringBuilder out) {
        out.append("ird=").append(ird()).append(" ord=").append(ord());
        if (a()) {
            out.append(" peer-to-peer");
        }
        if (b() || c() || d()) {
            out.append(" rtr=")
                    .append(b() ? "send," : "")
                    .append(c() ? "write," : "")
                    .append(d() ? "read," : "");
            out.setLength(out.length() - 1);
        }
        return out;
    }
}
