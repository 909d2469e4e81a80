package io.verbena.iwarp.startup;

import java.util.Arrays;
import java.util.HexFormat;

/**
 * What an application tells its peer in a start-up frame: 0 to 512 bytes, never changing (RFC 5044 section 7.1.1 [16]).
 * An enhanced frame has room for {@link #MAX_LENGTH_ENHANCED} of them.
 */
public final class PrivateData {
    /** Most bytes in an unenhanced frame. */
    public static final int MAX_LENGTH = 512;
    /** Most bytes beside the four of IRD and ORD (RFC 6581 section 9 [note]). */
    public static final int MAX_LENGTH_ENHANCED = 508;
    /** No private data. */
    public static final PrivateData EMPTY = new PrivateData(new byte[0]);

    private final byte[] bytes;

    private PrivateData(byte[] bytes) {
        this.bytes = bytes;
    }

    /** A copy of {@code bytes}, at most {@link #MAX_LENGTH} of them. */
    public static PrivateData of(byte[] bytes) {
        return of(bytes, 0, bytes.length);
    }

    /** A copy of {@code length} bytes from {@code offset}. */
    static PrivateData of(byte[] bytes, int offset, int length) {
        if (length > MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "private data may have " + MAX_LENGTH + " bytes, and these are " + length);
        }
        return length == 0 ? EMPTY : new PrivateData(Arrays.copyOfRange(bytes, offset, offset + length));
    }

    /** Bytes. */
    public int length() {
        return bytes.length;
    }

    /** A copy of the bytes. */
    public byte[] toArray() {
        return bytes.clone();
    }

    void copyTo(byte[] target, int offset) {
        System.arraycopy(bytes, 0, target, offset, bytes.length);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PrivateData that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** The bytes in hexadecimal. */
    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }
}
