package io.verbena.wire.ib;

import io.verbena.wire.Header;
import io.verbena.wire.Hex;

/**
 * The Atomic Acknowledge Extended Transport Header: the value of the word before the atomic operation.
 *
 * <pre>
 *    0                   1                   2                   3
 * 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                      Original Remote Data                     |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                                                               |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 9.3.5.3.
 */
public final class AtomicAckEth extends Header<AtomicAckEth> {
    /** Length in bytes. */
    public static final int LENGTH = 8;

    private static final int ORIGINAL_DATA = 0;

    /** Whether {@code available} bytes contain the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** OrigRemDt: the value before the operation. */
    public long originalData() {
        return u64(ORIGINAL_DATA);
    }

    public AtomicAckEth originalData(long value) {
        return u64(ORIGINAL_DATA, value);
    }

    /** Appends one line such as {@code original=0x0000000000000007}. */
    public StringBuilder describe(StringBuilder out) {
        return Hex.append(out.append("original=0x"), originalData(), 16);
    }
}
