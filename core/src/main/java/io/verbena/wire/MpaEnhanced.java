package io.verbena.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

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
 * <p>A flyweight: {@link #wrap} points it at memory, nothing is copied. Check {@link #fits} before use.
 * Source: RFC 6581 section 9.
 */
public final class MpaEnhanced {
    /** Bytes. */
    public static final int LENGTH = 4;
    /** Maximum depth of the 14-bit field. */
    public static final int MAX_DEPTH = 0x3fff;

    private static final int HIGH = 0x8000;
    private static final int LOW = 0x4000;

    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int IRD_WORD = 0;
    private static final int ORD_WORD = 2;

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes hold the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the header that starts at {@code offset}. */
    public MpaEnhanced wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return this;
    }

    /** The first word: A, B and IRD as on the wire, 16 bits. */
    public int irdWord() {
        return Short.toUnsignedInt(segment.get(U16, offset + IRD_WORD));
    }

    /** Writes the first word. */
    public MpaEnhanced irdWord(int value) {
        segment.set(U16, offset + IRD_WORD, (short) value);
        return this;
    }

    /** The second word: C, D and ORD as on the wire, 16 bits. */
    public int ordWord() {
        return Short.toUnsignedInt(segment.get(U16, offset + ORD_WORD));
    }

    /** Writes the second word. */
    public MpaEnhanced ordWord(int value) {
        segment.set(U16, offset + ORD_WORD, (short) value);
        return this;
    }

    /** A: the peer-to-peer model is used, so the initiator must send an RTR indication first. */
    public boolean a() {
        return (irdWord() & HIGH) != 0;
    }

    /** Writes A. */
    public MpaEnhanced a(boolean value) {
        return irdWord(with(irdWord(), HIGH, value));
    }

    /** B: a zero-length Send may be the RTR indication. */
    public boolean b() {
        return (irdWord() & LOW) != 0;
    }

    /** Writes B. */
    public MpaEnhanced b(boolean value) {
        return irdWord(with(irdWord(), LOW, value));
    }

    /** C: a zero-length Write may be the RTR indication. */
    public boolean c() {
        return (ordWord() & HIGH) != 0;
    }

    /** Writes C. */
    public MpaEnhanced c(boolean value) {
        return ordWord(with(ordWord(), HIGH, value));
    }

    /** D: a zero-length Read may be the RTR indication. */
    public boolean d() {
        return (ordWord() & LOW) != 0;
    }

    /** Writes D. */
    public MpaEnhanced d(boolean value) {
        return ordWord(with(ordWord(), LOW, value));
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

    private static int with(int word, int bit, boolean value) {
        return value ? word | bit : word & ~bit;
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
