package io.verbena.iwarp.startup;

import java.util.Arrays;
import java.util.HexFormat;

/**
 * Data of an application for its peer in a start-up frame: 0 to 512 bytes, immutable (RFC 5044 section 7.1.1 [16]). An enhanced
 * frame can carry {@link #MAX_LENGTH_ENHANCED} of them.
 */
public final class PrivateData {
    /** Maximum length in bytes in an unenhanced frame. */
    public static final int MAX_LENGTH = 512;
    /** Maximum length in bytes in an enhanced frame, which has four bytes of IRD and ORD (RFC 6581 section 9 [note]). */
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
            throw new IllegalArgumentException("private data has " + length + " bytes; the maximum is " + MAX_LENGTH);
        }
        return length == 0 ? EMPTY : new PrivateData(Arrays.copyOfRange(bytes, offset, offset + length));
    }

    /** Length in bytes. */
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
