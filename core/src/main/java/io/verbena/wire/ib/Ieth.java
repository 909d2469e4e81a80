package io.verbena.wire.ib;

import io.verbena.wire.Header;
import io.verbena.wire.Hex;

/**
 * The Invalidate Extended Transport Header: the key that the receiver invalidates.
 *
 * <pre>
 *    0                   1                   2                   3
 * 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                             R_Key                             |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 9.3.7.
 */
public final class Ieth extends Header<Ieth> {
    /** Length in bytes. */
    public static final int LENGTH = 4;

    private static final int R_KEY = 0;

    /** Whether {@code available} bytes contain the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** R_Key: the key that is invalid when the message is delivered. */
    public int rKey() {
        return u32(R_KEY);
    }

    public Ieth rKey(int value) {
        return u32(R_KEY, value);
    }

    /** Appends one line such as {@code invalidate=0x00000005}. */
    public StringBuilder describe(StringBuilder out) {
        return Hex.append(out.append("invalidate=0x"), rKey(), 8);
    }
}
