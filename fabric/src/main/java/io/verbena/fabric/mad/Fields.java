package io.verbena.fabric.mad;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Memory with big-endian fields, some of which are smaller than a byte. */
abstract class Fields {

    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    final void point(MemorySegment at, long start) {
        segment = at;
        offset = start;
    }

    /** A field of at most 8 bits that lies in one byte; {@code bit} counts from the first bit of the structure. */
    final int bits(int bit, int width) {
        return (u8(bit >> 3) >> 8 - width - (bit & 7)) & (1 << width) - 1;
    }

    final void bits(int bit, int width, int value) {
        int shift = 8 - width - (bit & 7);
        int mask = (1 << width) - 1 << shift;
        u8(bit >> 3, u8(bit >> 3) & ~mask | value << shift & mask);
    }

    final int u8(long at) {
        return segment.get(U8, offset + at) & 0xff;
    }

    final void u8(long at, int value) {
        segment.set(U8, offset + at, (byte) value);
    }

    final int u16(long at) {
        return segment.get(U16, offset + at) & 0xffff;
    }

    final void u16(long at, int value) {
        segment.set(U16, offset + at, (short) value);
    }

    final int u24(long at) {
        return u8(at) << 16 | u16(at + 1);
    }

    final void u24(long at, int value) {
        u8(at, value >> 16);
        u16(at + 1, value);
    }

    final int u32(long at) {
        return segment.get(U32, offset + at);
    }

    final void u32(long at, int value) {
        segment.set(U32, offset + at, value);
    }

    final long u64(long at) {
        return segment.get(U64, offset + at);
    }

    final void u64(long at, long value) {
        segment.set(U64, offset + at, value);
    }
}
