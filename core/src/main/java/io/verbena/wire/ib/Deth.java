package io.verbena.wire.ib;

import io.verbena.wire.Header;
import io.verbena.wire.Hex;

/**
 * The Datagram Extended Transport Header: the source of a datagram, and the Q_Key of its destination queue pair.
 *
 * <pre>
 *    0                   1                   2                   3
 * 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                             Q_Key                             |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |    Reserved   |                   Source QP                   |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 9.3.2.
 */
public final class Deth extends Header<Deth> {
    /** Length in bytes. */
    public static final int LENGTH = 8;

    private static final int Q_KEY = 0;
    private static final int SRC_QP = 5;

    /** Whether {@code available} bytes contain the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Q_Key: must equal that of the receiving queue pair. */
    public int qKey() {
        return u32(Q_KEY);
    }

    public Deth qKey(int value) {
        return u32(Q_KEY, value);
    }

    /** SrcQP: the sending queue pair. */
    public int srcQp() {
        return u24(SRC_QP);
    }

    public Deth srcQp(int value) {
        return u24(SRC_QP, value);
    }

    /** Writes the whole header. */
    public Deth set(int qKey, int srcQp) {
        u32(Q_KEY, qKey);
        return u32(4, srcQp & 0xffffff);
    }

    /** Appends one line such as {@code qkey=0x11111111 src=0x000012}. */
    public StringBuilder describe(StringBuilder out) {
        Hex.append(out.append("qkey=0x"), qKey(), 8);
        return Hex.append(out.append(" src=0x"), srcQp(), 6);
    }
}
