package io.verbena.wire.ib;

import io.verbena.wire.Hex;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

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
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use. Source:
 * InfiniBand architecture specification, volume 1, section 9.3.2.
 */
public final class Deth {
    /** Length in bytes. */
    public static final int LENGTH = 8;

    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int Q_KEY = 0;
    private static final int SRC_QP = 4;

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes contain the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the header that starts at {@code offset}. */
    public Deth wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return this;
    }

    /** Q_Key: must equal that of the receiving queue pair. */
    public int qKey() {
        return segment.get(U32, offset + Q_KEY);
    }

    /** Writes qKey. */
    public Deth qKey(int value) {
        segment.set(U32, offset + Q_KEY, value);
        return this;
    }

    /** SrcQP: the sending queue pair. */
    public int srcQp() {
        return segment.get(U32, offset + SRC_QP) & 0xffffff;
    }

    /** Writes srcQp; keeps the byte before it. */
    public Deth srcQp(int value) {
        int others = segment.get(U32, offset + SRC_QP) & 0xff000000;
        segment.set(U32, offset + SRC_QP, others | value & 0xffffff);
        return this;
    }

    /** Writes the whole header. */
    public Deth set(int qKey, int srcQp) {
        segment.set(U32, offset + Q_KEY, qKey);
        segment.set(U32, offset + SRC_QP, srcQp & 0xffffff);
        return this;
    }

    /** Appends one line such as {@code qkey=0x11111111 src=0x000012}. */
    public StringBuilder describe(StringBuilder out) {
        Hex.append(out.append("qkey=0x"), qKey(), 8);
        return Hex.append(out.append(" src=0x"), srcQp(), 6);
    }
}
