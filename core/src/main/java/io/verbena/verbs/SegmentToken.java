package io.verbena.verbs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * What a process needs to open an address-space segment of another process of its host, see {@link AddressSegment#offer}: a
 * small value that the owner gives to that process, encoded in 24 bytes, big endian. Every process of the user that has it can open the segment, so it
 * must be sent on a channel that others cannot read. Immutable; the fields are opaque.
 *
 * @param name finds the owner
 * @param secretHigh first half of the secret that the owner compares
 * @param secretLow second half
 */
public record SegmentToken(long name, long secretHigh, long secretLow) {

    /** Length of the encoded form, in bytes. */
    public static final int ENCODED_BYTES = 24;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** The encoded form, for example for private data. */
    public byte[] toBytes() {
        byte[] bytes = new byte[ENCODED_BYTES];
        MemorySegment to = MemorySegment.ofArray(bytes);
        to.set(LONG, 0, name);
        to.set(LONG, 8, secretHigh);
        to.set(LONG, 16, secretLow);
        return bytes;
    }

    /**
     * Decodes a token from the beginning of an array that {@link #toBytes} produced.
     *
     * @throws IndexOutOfBoundsException if there are fewer than {@link #ENCODED_BYTES} bytes
     */
    public static SegmentToken fromBytes(byte[] bytes) {
        if (bytes.length < ENCODED_BYTES) {
            throw new IndexOutOfBoundsException("a token is encoded in " + ENCODED_BYTES + " bytes, not " + bytes.length
                    + (bytes.length == 0 ? ": the owner sent no token, for example no private data" : ""));
        }
        MemorySegment from = MemorySegment.ofArray(bytes);
        return new SegmentToken(from.get(LONG, 0), from.get(LONG, 8), from.get(LONG, 16));
    }

    /** Without the secret, so that a token in a log gives access to nothing. */
    @Override
    public String toString() {
        return String.format("segment token %016x", name);
    }
}
