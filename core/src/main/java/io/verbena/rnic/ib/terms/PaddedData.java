package io.verbena.rnic.ib.terms;

import java.util.Arrays;
import java.util.OptionalInt;

/**
 * Private data in a message of connection management. The field has a fixed length and no length of its own, so that a
 * receiver also gets the padding. As an extension, four bytes contain the length and what a Verbena offers. They are the
 * last four of the field, or, if the data leaves no space for them, the attribute modifier of the datagram, which
 * connection management does not use; {@code ib.cm} appends it to the field. Another Verbena then gets exactly the data;
 * any other peer sees padding, or the data alone.
 *
 * <pre>
 *   | data | zeros | 'V' | 'b' | receive buffer 4 bits, extensions 4 bits | length |
 * </pre>
 */
public final class PaddedData {

    /** Offers nothing. */
    public static final int NONE = 0;

    /** Offers, or agrees on, selective repeat. */
    static final int SELECTIVE_REPEAT = 1;

    /** Offers, or agrees on, congestion control. */
    static final int CONGESTION_CONTROL = 2;

    /** Offers, or agrees on, several paths. */
    static final int PATHS = 4;

    /** The offers that both sides must make. The other bits contain the size of the receive buffer. */
    private static final int EXTENSIONS = 7;

    private static final int BUFFER_SHIFT = 4;

    /** The sizes are 64 KiB, 91 KiB, 128 KiB and so on up to 8 MiB: two steps double. */
    private static final int LEAST_BUFFER_BYTES = 64 * 1024;

    private static final int MOST_BUFFER_CODE = 15;

    private static final int MARK_BYTES = 4;

    private PaddedData() {}

    /** Fills a field. The data is not longer than the field. */
    public static byte[] pad(byte[] data, int fieldBytes, int offers) {
        int end = data.length <= fieldBytes - MARK_BYTES ? fieldBytes : fieldBytes + MARK_BYTES;
        byte[] field = Arrays.copyOf(data, end);
        field[end - 4] = 'V';
        field[end - 3] = 'b';
        field[end - 2] = (byte) offers;
        field[end - 1] = (byte) data.length;
        return field;
    }

    private static boolean marked(byte[] field) {
        int end = field.length;
        return end >= MARK_BYTES
                && field[end - 4] == 'V'
                && field[end - 3] == 'b'
                && (field[end - 1] & 0xff) <= end - MARK_BYTES;
    }

    /** The data in a field; the whole field if its length is unknown. */
    public static byte[] data(byte[] field) {
        return marked(field) ? Arrays.copyOf(field, field[field.length - 1] & 0xff) : field;
    }

    /** The offers in a field; none if the peer is not a Verbena. */
    public static int offers(byte[] field) {
        return marked(field) ? field[field.length - 2] & 0xff : NONE;
    }

    /** The extensions that both sides offer. */
    public static int common(int offers, int others) {
        return offers & others & EXTENSIONS;
    }

    /** Offers with the same receive buffer and other extensions. */
    static int withExtensions(int offers, int extensions) {
        return offers & ~EXTENSIONS | extensions;
    }

    /** The size of a receive buffer, rounded down, as a part of the offers. */
    static int receiveBuffer(int bytes) {
        int code = 0;
        while (code < MOST_BUFFER_CODE && bytes >= bufferBytes(code + 1)) {
            code++;
        }
        return code << BUFFER_SHIFT;
    }

    /** The size of the receive buffer of the side that made the offers; empty if it is unknown. */
    static OptionalInt receiveBufferBytes(int offers) {
        int code = offers >>> BUFFER_SHIFT;
        return code == 0 ? OptionalInt.empty() : OptionalInt.of(bufferBytes(code));
    }

    private static int bufferBytes(int code) {
        return (int) (LEAST_BUFFER_BYTES * Math.pow(2, (code - 1) / 2.0));
    }
}
