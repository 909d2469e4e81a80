package io.verbena.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A header, or another structure of a protocol, with big-endian fields. A flyweight: {@link #wrap} points it at memory
 * without a copy, and the accessors of the subclass read and write that memory; check its {@code fits} before use. An
 * accessor with an argument writes the field and returns the flyweight, and bits beside the field keep their values.
 *
 * <p>A field is named by the byte at which it begins, and in this byte by its first bit, counted from the most
 * significant one, as the figures of RFCs count. Numbers of less than 64 bits are unsigned; those of 32 bits are in an
 * {@code int}.
 *
 * @param <H> the flyweight itself
 */
public abstract class Header<H extends Header<H>> {
    protected static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    protected static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    protected static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    protected static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int LOW_24 = 0xff_ffff;

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Points this flyweight at the structure that starts at {@code offset}. */
    public final H wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return self();
    }

    @SuppressWarnings("unchecked") // H is the class of this object
    private H self() {
        return (H) this;
    }

    /** The memory that contains the structure. */
    protected final MemorySegment segment() {
        return segment;
    }

    /** Where in {@link #segment} a byte of the structure is. */
    protected final long offset(long at) {
        return offset + at;
    }

    protected final boolean flag(long at, int bit) {
        return bits(at, bit, 1) != 0;
    }

    protected final H flag(long at, int bit, boolean value) {
        return bits(at, bit, 1, value ? 1 : 0);
    }

    /** A field of at most eight bits in one byte. */
    protected final int bits(long at, int bit, int width) {
        return u8(at) >> Byte.SIZE - width - bit & (1 << width) - 1;
    }

    protected final H bits(long at, int bit, int width, int value) {
        int shift = Byte.SIZE - width - bit;
        int mask = (1 << width) - 1 << shift;
        return u8(at, u8(at) & ~mask | value << shift & mask);
    }

    protected final int u8(long at) {
        return segment.get(U8, offset + at) & 0xff;
    }

    protected final H u8(long at, int value) {
        segment.set(U8, offset + at, (byte) value);
        return self();
    }

    protected final int u16(long at) {
        return segment.get(U16, offset + at) & 0xffff;
    }

    protected final H u16(long at, int value) {
        segment.set(U16, offset + at, (short) value);
        return self();
    }

    /** A field of 24 bits, {@code at} 1 or more: accessed together with the byte before it. */
    protected final int u24(long at) {
        return segment.get(U32, offset + at - 1) & LOW_24;
    }

    protected final H u24(long at, int value) {
        return u32(at - 1, u32(at - 1) & ~LOW_24 | value & LOW_24);
    }

    protected final int u32(long at) {
        return segment.get(U32, offset + at);
    }

    protected final H u32(long at, int value) {
        segment.set(U32, offset + at, value);
        return self();
    }

    protected final long u48(long at) {
        return (long) u16(at) << Integer.SIZE | Integer.toUnsignedLong(u32(at + 2));
    }

    protected final H u48(long at, long value) {
        u16(at, (int) (value >>> Integer.SIZE));
        return u32(at + 2, (int) value);
    }

    protected final long u64(long at) {
        return segment.get(U64, offset + at);
    }

    protected final H u64(long at, long value) {
        segment.set(U64, offset + at, value);
        return self();
    }

    /** Writes a field of 128 bits, such as an IPv6 address. */
    protected final H u128(long at, long high, long low) {
        u64(at, high);
        return u64(at + Long.BYTES, low);
    }

    /** A copy of a field of {@code length} bytes. */
    protected final byte[] bytes(long at, int length) {
        return segment.asSlice(offset + at, length).toArray(U8);
    }

    /** Writes a field of {@code length} bytes: {@code value}, cut to the field, and zeros after it. */
    protected final H bytes(long at, int length, byte[] value) {
        segment.asSlice(offset + at, length).fill((byte) 0);
        MemorySegment.copy(value, 0, segment, U8, offset + at, Math.min(value.length, length));
        return self();
    }
}
