package io.verbena.messaging.protocol;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Layout of a slot of a ring, little endian: four words of eight bytes, each read and written as a whole, then the payload and the tail
 * flag.
 *
 * <pre>
 *  0        4        8      9       10         12         16    20        24       32
 *  | length | number | kind | flags | reserved | returned | tag | context | word   | payload, padded to 8 | tail (8) |
 *  |--- head flag ---|-------------- about --------------|----- match ----|
 * </pre>
 */
public final class SlotLayout {

    public static final int HEADER_BYTES = 32;
    public static final int TAIL_BYTES = 8;

    /** Flag: the Write carries immediate data, whose completion must be awaited. */
    public static final int ANNOUNCED = 1;

    private static final int ABOUT = 8;
    private static final int MATCH = 16;
    private static final int WORD = 24;
    private static final int STRIDE_ALIGNMENT = 64;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle FLAG = LONG.varHandle();

    private SlotLayout() {}

    /** Length of a slot for a payload. */
    public static int strideBytes(int payloadBytes) {
        return (HEADER_BYTES + padded(payloadBytes) + TAIL_BYTES + STRIDE_ALIGNMENT - 1) & -STRIDE_ALIGNMENT;
    }

    /** Length of an element on the wire. */
    public static int messageBytes(int length) {
        return HEADER_BYTES + padded(length) + TAIL_BYTES;
    }

    /** Offset of the tail flag in the slot. */
    public static int tailOffset(int length) {
        return HEADER_BYTES + padded(length);
    }

    private static int padded(int length) {
        return (length + 7) & -8;
    }

    /** Head flag of an element. */
    public static long head(int number, int length) {
        return (long) number << 32 | length & 0xffff_ffffL;
    }

    public static int numberOf(long head) {
        return (int) (head >>> 32);
    }

    public static int lengthOf(long head) {
        return (int) head;
    }

    /** Tail flag of an element: 64 bits that an earlier payload at the same offset cannot be expected to contain. */
    public static long tail(long nonce, int number) {
        long mixed = (nonce + number) * 0x9e37_79b9_7f4a_7c15L;
        return mixed ^ mixed >>> 29;
    }

    /** Reads a flag of 8 bytes with acquire semantics. */
    public static long flag(MemorySegment memory, long offset) {
        return (long) FLAG.getAcquire(memory, offset);
    }

    /** Writes a flag into local memory. */
    public static void putFlag(MemorySegment memory, long offset, long value) {
        memory.set(LONG, offset, value);
    }

    /** Writes the words between the head flag and the payload. */
    public static void putHeader(
            MemorySegment memory, long slot, int kind, int flags, int returned, int tag, int context, long word) {
        memory.set(LONG, slot + ABOUT, (long) returned << 32 | (flags & 0xff) << 8 | kind & 0xff);
        memory.set(LONG, slot + MATCH, (long) context << 32 | tag & 0xffff_ffffL);
        memory.set(LONG, slot + WORD, word);
    }

    /** Kind, flags and number of returned slots. */
    public static long about(MemorySegment memory, long slot) {
        return memory.get(LONG, slot + ABOUT);
    }

    public static int kindOf(long about) {
        return (int) about & 0xff;
    }

    public static int flagsOf(long about) {
        return (int) about >>> 8 & 0xff;
    }

    public static int returnedOf(long about) {
        return (int) (about >>> 32);
    }

    /** Tag and context. */
    public static long match(MemorySegment memory, long slot) {
        return memory.get(LONG, slot + MATCH);
    }

    public static int tagOf(long match) {
        return (int) match;
    }

    public static int contextOf(long match) {
        return (int) (match >>> 32);
    }

    public static long word(MemorySegment memory, long slot) {
        return memory.get(LONG, slot + WORD);
    }
}
