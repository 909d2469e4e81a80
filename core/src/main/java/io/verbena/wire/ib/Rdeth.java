package io.verbena.wire.ib;

import io.verbena.wire.Hex;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The Reliable Datagram Extended Transport Header: the end-to-end context of the packet.
 *
 * <pre>
 *    0                   1                   2                   3
 * 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |    Reserved   |                   EE-Context                  |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use. Source:
 * InfiniBand architecture specification, volume 1, section 9.3.1.
 */
public final class Rdeth {
    /** Length in bytes. */
    public static final int LENGTH = 4;

    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int EE_CONTEXT = 0;

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes contain the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the header that starts at {@code offset}. */
    public Rdeth wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return this;
    }

    /** EE-Context: the context of the receiver. */
    public int eeContext() {
        return segment.get(U32, offset + EE_CONTEXT) & 0xffffff;
    }

    /** Writes eeContext; keeps the byte before it. */
    public Rdeth eeContext(int value) {
        int others = segment.get(U32, offset + EE_CONTEXT) & 0xff000000;
        segment.set(U32, offset + EE_CONTEXT, others | value & 0xffffff);
        return this;
    }

    /** Writes the whole header. */
    public Rdeth set(int eeContext) {
        segment.set(U32, offset + EE_CONTEXT, eeContext & 0xffffff);
        return this;
    }

    /** Appends one line such as {@code eec=0x000003}. */
    public StringBuilder describe(StringBuilder out) {
        return Hex.append(out.append("eec=0x"), eeContext(), 6);
    }
}
