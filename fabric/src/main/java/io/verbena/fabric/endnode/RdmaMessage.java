package io.verbena.fabric.endnode;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The header of messages by which the software of an adapter performs Reads and Writes. A Write is followed by its data, and so is the
 * result of a Read.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +---------------------------------------------------------------+
 *   |                             kind                              |
 *   +---------------------------------------------------------------+
 *   |                            length                             |
 *   +---------------------------------------------------------------+
 *   |                                                               |
 *   +                            offset                             +
 *   |                                                               |
 *   +---------------------------------------------------------------+
 * </pre>
 */
final class RdmaMessage {

    static final int LENGTH = 16;

    static final int WRITE = 1;
    static final int READ = 2;
    /** The operation has been performed. */
    static final int DONE = 3;
    /** The range is not within the memory that the adapter serves. */
    static final int REFUSED = 4;

    private static final ValueLayout.OfInt INT = JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private RdmaMessage() {}

    static void write(MemorySegment bytes, int kind, int length, long offset) {
        bytes.set(INT, 0, kind);
        bytes.set(INT, 4, length);
        bytes.set(LONG, 8, offset);
    }

    static int kind(MemorySegment bytes) {
        return bytes.get(INT, 0);
    }

    static int length(MemorySegment bytes) {
        return bytes.get(INT, 4);
    }

    static long offset(MemorySegment bytes) {
        return bytes.get(LONG, 8);
    }
}
