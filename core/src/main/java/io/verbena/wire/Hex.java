package io.verbena.wire;

/** Appends numbers in hexadecimal without making objects. */
public final class Hex {
    private static final String DIGITS = "0123456789abcdef";

    private Hex() {}

    /** Appends {@code value} with {@code digits} digits (1 to 16). */
    public static StringBuilder append(StringBuilder out, long value, int digits) {
        for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
            out.append(DIGITS.charAt((int) (value >>> shift) & 0xf));
        }
        return out;
    }

    /** Appends 0x and eight digits. */
    public static StringBuilder stag(StringBuilder out, int stag) {
        return append(out.append("0x"), stag, 8);
    }

    /** Appends 0x and sixteen digits. */
    public static StringBuilder to(StringBuilder out, long to) {
        return append(out.append("0x"), to, 16);
    }

    /** Appends an unsigned 32-bit number in decimal. */
    public static StringBuilder unsigned(StringBuilder out, int value) {
        return out.append(Integer.toUnsignedLong(value));
    }
}
