package io.verbena.storage.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * What all flyweights share: the memory that they are pointed at, and access to little-endian fields.
 *
 * @param <S> the flyweight itself
 */
public abstract class Structure<S extends Structure<S>> {
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** As long as the longest structure. */
    private static final MemorySegment ZEROES =
            MemorySegment.ofArray(new byte[4096]).asReadOnly();

    private MemorySegment segment = MemorySegment.NULL;
    private long base;

    Structure() {}

    abstract S self();

    /** Points this flyweight at the structure that starts at {@code offset}. */
    public final S wrap(MemorySegment memory, long offset) {
        segment = memory;
        base = offset;
        return self();
    }

    /** Copies the first {@code lengthBytes} bytes of the structure. */
    public final void copyTo(MemorySegment out, long offset, int lengthBytes) {
        MemorySegment.copy(segment, base, out, offset, lengthBytes);
    }

    final int u8(int at) {
        return segment.get(ValueLayout.JAVA_BYTE, base + at) & 0xff;
    }

    final S u8(int at, int value) {
        segment.set(ValueLayout.JAVA_BYTE, base + at, (byte) value);
        return self();
    }

    final int u16(int at) {
        return segment.get(U16, base + at) & 0xffff;
    }

    final S u16(int at, int value) {
        segment.set(U16, base + at, (short) value);
        return self();
    }

    final int u32(int at) {
        return segment.get(U32, base + at);
    }

    final S u32(int at, int value) {
        segment.set(U32, base + at, value);
        return self();
    }

    final long u64(int at) {
        return segment.get(U64, base + at);
    }

    final S u64(int at, long value) {
        segment.set(U64, base + at, value);
        return self();
    }

    final S zero(int lengthBytes) {
        MemorySegment.copy(ZEROES, 0, segment, base, lengthBytes); // a slice would be an object
        return self();
    }

    final byte[] bytes(int at, int lengthBytes) {
        return segment.asSlice(base + at, lengthBytes).toArray(ValueLayout.JAVA_BYTE);
    }

    final S bytes(int at, byte[] value) {
        MemorySegment.copy(value, 0, segment, ValueLayout.JAVA_BYTE, base + at, value.length);
        return self();
    }

    /** The text up to the first NUL. */
    final String text(int at, int fieldBytes) {
        byte[] field = bytes(at, fieldBytes);
        int end = 0;
        while (end < field.length && field[end] != 0) {
            end++;
        }
        return new String(field, 0, end, StandardCharsets.UTF_8);
    }

    /** Writes text, cut to the field, and fills the rest of the field with {@code padding}. */
    final S text(int at, int fieldBytes, String value, char padding) {
        byte[] coded = value.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < fieldBytes; i++) {
            u8(at + i, i < coded.length ? coded[i] : padding);
        }
        return self();
    }
}
