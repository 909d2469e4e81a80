package io.verbena.hardware.abi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;

/**
 * Memory by its address. Addresses are plain numbers because a segment with a lifetime costs 12 ns at each call and the structures
 * of the libraries have no lifetime that Java could check; the caller ensures that the memory is valid. Nothing here allocates.
 */
public final class Native {

    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private Native() {}

    public static int byteAt(long address) {
        return ALL.get(JAVA_BYTE, address) & 0xff;
    }

    public static int shortAt(long address) {
        return ALL.get(JAVA_SHORT_UNALIGNED, address) & 0xffff;
    }

    public static int intAt(long address) {
        return ALL.get(JAVA_INT_UNALIGNED, address);
    }

    public static long longAt(long address) {
        return ALL.get(JAVA_LONG_UNALIGNED, address);
    }

    public static void putByte(long address, int value) {
        ALL.set(JAVA_BYTE, address, (byte) value);
    }

    public static void putShort(long address, int value) {
        ALL.set(JAVA_SHORT_UNALIGNED, address, (short) value);
    }

    public static void putInt(long address, int value) {
        ALL.set(JAVA_INT_UNALIGNED, address, value);
    }

    public static void putLong(long address, long value) {
        ALL.set(JAVA_LONG_UNALIGNED, address, value);
    }

    /** Fills with zeros. */
    public static void clear(long address, long bytes) {
        ALL.asSlice(address, bytes).fill((byte) 0);
    }

    public static void copy(long from, long to, long bytes) {
        MemorySegment.copy(ALL, from, ALL, to, bytes);
    }

    /** Copies from a segment, whose liveness is checked. */
    public static void copy(MemorySegment from, long offset, long to, long bytes) {
        MemorySegment.copy(from, offset, ALL, to, bytes);
    }

    public static byte[] bytes(long address, int length) {
        byte[] copy = new byte[length];
        MemorySegment.copy(ALL, JAVA_BYTE, address, copy, 0, length);
        return copy;
    }

    public static void put(long address, byte[] bytes) {
        put(address, bytes, bytes.length);
    }

    /** Stores the first bytes of an array. */
    public static void put(long address, byte[] bytes, int length) {
        MemorySegment.copy(bytes, 0, ALL, JAVA_BYTE, address, length);
    }

    /** A C string, cut after this number of bytes. */
    public static String text(long address, int mostBytes) {
        int length = 0;
        while (length < mostBytes && byteAt(address + length) != 0) {
            length++;
        }
        return new String(bytes(address, length), java.nio.charset.StandardCharsets.UTF_8);
    }
}
