package io.verbena.verbs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A range of remote memory: a small value that is sent to a peer, encoded in 20 bytes, big endian: address, length,
 * key. Immutable.
 *
 * @param address address of the first byte; opaque
 * @param length length in bytes
 * @param rkey key that grants access
 */
public record RemoteRegion(long address, long length, int rkey) {

    /** Length of the encoded form, in bytes. */
    public static final int ENCODED_BYTES = 20;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** Checks that the length is not negative. */
    public RemoteRegion {
        if (length < 0) {
            throw new IllegalArgumentException("length must be 0 or more, not " + length);
        }
    }

    /**
     * A part of the region, with the same key.
     *
     * @throws IndexOutOfBoundsException if the part is not within the region
     */
    public RemoteRegion slice(long offset, long bytes) {
        if (offset < 0 || bytes < 0 || offset > length - bytes) {
            throw new IndexOutOfBoundsException(
                    "bytes " + offset + " to " + (offset + bytes) + " are not within a region of " + length);
        }
        return new RemoteRegion(address + offset, bytes, rkey);
    }

    /** The encoded form, for example for private data. */
    public byte[] toBytes() {
        byte[] bytes = new byte[ENCODED_BYTES];
        write(MemorySegment.ofArray(bytes), 0);
        return bytes;
    }

    /**
     * Decodes a region from the beginning of an array that {@link #toBytes} produced.
     *
     * @throws IndexOutOfBoundsException if there are fewer than {@link #ENCODED_BYTES} bytes
     */
    public static RemoteRegion fromBytes(byte[] bytes) {
        if (bytes.length < ENCODED_BYTES) {
            throw new IndexOutOfBoundsException(
                    "a region is encoded in " + ENCODED_BYTES + " bytes, not " + bytes.length
                            + (bytes.length == 0 ? ": the peer sent no region, for example no private data" : ""));
        }
        return read(MemorySegment.ofArray(bytes), 0);
    }

    /** Encodes the region at an offset of a segment. */
    public void write(MemorySegment segment, long offset) {
        segment.set(LONG, offset, address);
        segment.set(LONG, offset + 8, length);
        segment.set(INT, offset + 16, rkey);
    }

    /** Decodes the region at an offset of a segment. */
    public static RemoteRegion read(MemorySegment segment, long offset) {
        return new RemoteRegion(
                segment.get(LONG, offset), segment.get(LONG, offset + 8), segment.get(INT, offset + 16));
    }
}
