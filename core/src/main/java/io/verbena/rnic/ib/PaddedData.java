package io.verbena.rnic.ib;

import java.util.Arrays;

/**
 * Private data in a message of connection management. The field has a fixed length and no length of its own, so that a
 * receiver also gets the padding. As an extension, the last four bytes of the field contain the length, if the data
 * leaves space for them. Another Verbena then gets exactly the data; any other peer sees more padding.
 *
 * <pre>
 *   | data | zeros | 'V' | 'b' | 0 | length |
 * </pre>
 */
final class PaddedData {

    private static final int MARK_BYTES = 4;

    private PaddedData() {}

    /** Fills a field. The data is not longer than the field. */
    static byte[] pad(byte[] data, int fieldBytes) {
        byte[] field = Arrays.copyOf(data, fieldBytes);
        if (data.length <= fieldBytes - MARK_BYTES) {
            field[fieldBytes - 4] = 'V';
            field[fieldBytes - 3] = 'b';
            field[fieldBytes - 1] = (byte) data.length;
        }
        return field;
    }

    /** The data in a field; the whole field if its length is unknown. */
    static byte[] data(byte[] field) {
        int end = field.length;
        if (end >= MARK_BYTES && field[end - 4] == 'V' && field[end - 3] == 'b' && field[end - 2] == 0) {
            int length = field[end - 1] & 0xff;
            if (length <= end - MARK_BYTES) {
                return Arrays.copyOf(field, length);
            }
        }
        return field;
    }
}
