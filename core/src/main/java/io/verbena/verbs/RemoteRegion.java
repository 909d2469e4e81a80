package io.verbena.verbs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A piece of somebody else's memory: a small value that is sent to a peer (20 bytes, big endian: address, length, key).
 *
 * @param address opaque address of its first byte
 * @param length length in bytes
 * @param rkey key that opens it
 */
public record RemoteRegion(long address, long length, int rkey) {

    /** Bytes that {@link #write} and {@link #read} use. */
    public static final int ENCODED_BYTES = 20;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** Checks that the length is not negative. */
    public RemoteRegion {
        if (length < 0) {
            throw new IllegalArgumentException("length must not be negative: " + length);
        }
    }

    /** A part of it. */
    public RemoteRegion slice(long offset, long bytes) {
        if (offset < 0 || bytes < 0 || offset > length - bytes) {
            throw new IndexOutOfBoundsException(
                    "bytes " + offset + " to " + (offset + bytes) + " are not within a region of " + length);
        }
        return new RemoteRegion(address + offset, bytes, rkey);
    }

    /** The {@link #ENCODED_BYTES} bytes of it, for private data. */
    public byte[] toBytes() {
        byte[] bytes = new byte[ENCODED_BYTES];
        write(MemorySegment.ofArray(bytes), 0);
        return bytes;
    }

    /** What {@link #toBytes} gave; longer arrays are fine. */
    public static RemoteRegion fromBytes(byte[] bytes) {
        return read(MemorySegment.ofArray(bytes), 0);
    }

    /** Stores it at an offset of a segment. */
    public void write(MemorySegment segment, long offset) {
        segment.set(LONG, offset, address);
        segment.set(LONG, offset + 8, length);
        segment.set(INT, offset + 16, rkey);
    }

    /** Loads one that {@link #write} stored. */
    public static RemoteRegion read(MemorySegment segment, long offset) {
        return new RemoteRegion(
                segment.get(LONG, offset), segment.get(LONG, offset + 8), segment.get(INT, offset + 16));
    }
}
