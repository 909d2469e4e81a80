package io.verbena.messaging.protocol;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A slot of a ring, little endian. The head flag is one 8-byte word, the tail flag follows the payload.
 *
 * <pre>
 *  0        4        8      9       10         12         16    20        24       32
 *  | length | number | kind | flags | reserved | returned | tag | context | word   | payload, padded to 8 | tail (8) |
 * </pre>
 */
public final class SlotLayout {

    public static final int HEADER_BYTES = 32;
    public static final int TAIL_BYTES = 8;

    /** A flag: the Write came with immediate data, whose completion must be waited for. */
    public static final int ANNOUNCED = 1;

    private static final int STRIDE_ALIGNMENT = 64;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle FLAG = LONG.varHandle();

    private SlotLayout() {}

    /** Bytes of a slot for a payload. */
    public static int strideBytes(int payloadBytes) {
        return (HEADER_BYTES + padded(payloadBytes) + TAIL_BYTES + STRIDE_ALIGNMENT - 1) & -STRIDE_ALIGNMENT;
    }

    /** Bytes of a message on the wire. */
    public static int messageBytes(int length) {
        return HEADER_BYTES + padded(length) + TAIL_BYTES;
    }

    /** Where the tail flag is, from the start of the slot. */
    public static int tailOffset(int length) {
        return HEADER_BYTES + padded(length);
    }

    private static int padded(int length) {
        return (length + 7) & -8;
    }

    /** The head flag of a message. */
    public static long head(int number, int length) {
        return (long) number << 32 | length & 0xffff_ffffL;
    }

    public static int numberOf(long head) {
        return (int) (head >>> 32);
    }

    public static int lengthOf(long head) {
        return (int) head;
    }

    /** The tail flag of a message: 64 bits that no earlier payload at the same place can be expected to hold. */
    public static long tail(long nonce, int number) {
        long mixed = (nonce + number) * 0x9e37_79b9_7f4a_7c15L;
        return mixed ^ mixed >>> 29;
    }

    /** Reads a flag of 8 bytes so that what was written before it is seen. */
    public static long flag(MemorySegment memory, long offset) {
        return (long) FLAG.getAcquire(memory, offset);
    }

    /** Writes a flag into memory of our own. */
    public static void putFlag(MemorySegment memory, long offset, long value) {
        memory.set(LONG, offset, value);
    }

    public static void putHeader(
            MemorySegment memory, long slot, int kind, int flags, int returned, int tag, int context, long word) {
        memory.set(INT, slot + 8, (kind & 0xff) | (flags & 0xff) << 8);
        memory.set(INT, slot + 12, returned);
        memory.set(INT, slot + 16, tag);
        memory.set(INT, slot + 20, context);
        memory.set(LONG, slot + 24, word);
    }

    public static int kind(MemorySegment memory, long slot) {
        return memory.get(INT, slot + 8) & 0xff;
    }

    public static int flags(MemorySegment memory, long slot) {
        return memory.get(INT, slot + 8) >>> 8 & 0xff;
    }

    public static int returned(MemorySegment memory, long slot) {
        return memory.get(INT, slot + 12);
    }

    public static int tag(MemorySegment memory, long slot) {
        return memory.get(INT, slot + 16);
    }

    public static int context(MemorySegment memory, long slot) {
        return memory.get(INT, slot + 20);
    }

    public static long word(MemorySegment memory, long slot) {
        return memory.get(LONG, slot + 24);
    }
}
