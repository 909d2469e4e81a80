package io.verbena.rnic.ib;

import java.util.Arrays;

/**
 * Private data in a message of connection management. The field has a fixed length and no length of its own, so that a
 * receiver also gets the padding. As an extension, the last four bytes of the field contain the length, if the data
 * leaves space for them, and what a Verbena offers. Another Verbena then gets exactly the data; any other peer sees
 * more padding.
 *
 * <pre>
 *   | data | zeros | 'V' | 'b' | offers | length |
 * </pre>
 */
final class PaddedData {

    /** Offers nothing. */
    static final int NONE = 0;

    /** Offers, or agrees on, selective repeat. */
    static final int SELECTIVE_REPEAT = 1;

    private static final int MARK_BYTES = 4;

    private PaddedData() {}

    /** Fills a field. The data is not longer than the field. */
    static byte[] pad(byte[] data, int fieldBytes, int offers) {
        byte[] field = Arrays.copyOf(data, fieldBytes);
        if (data.length <= fieldBytes - MARK_BYTES) {
            field[fieldBytes - 4] = 'V';
            field[fieldBytes - 3] = 'b';
            field[fieldBytes - 2] = (byte) offers;
            field[fieldBytes - 1] = (byte) data.length;
        }
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
    static byte[] data(byte[] field) {
        return marked(field) ? Arrays.copyOf(field, field[field.length - 1] & 0xff) : field;
    }

    /** The offers in a field; none if the peer is not a Verbena. */
    static int offers(byte[] field) {
        return marked(field) ? field[field.length - 2] & 0xff : NONE;
    }
}
