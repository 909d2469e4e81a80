package io.verbena.wire.ib;

import io.verbena.wire.Header;
import io.verbena.wire.Hex;

/**
 * Immediate data: four bytes that complete a receive.
 *
 * <pre>
 *    0                   1                   2                   3
 * 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                         Immediate Data                        |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 9.3.6.
 */
public final class ImmDt extends Header<ImmDt> {
    /** Length in bytes. */
    public static final int LENGTH = 4;

    private static final int IMMEDIATE = 0;

    /** Whether {@code available} bytes contain the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** The four bytes as one number in network order. */
    public int immediate() {
        return u32(IMMEDIATE);
    }

    public ImmDt immediate(int value) {
        return u32(IMMEDIATE, value);
    }

    /** Appends one line such as {@code imm=0x00000001}. */
    public StringBuilder describe(StringBuilder out) {
        return Hex.append(out.append("imm=0x"), immediate(), 8);
    }
}
