package io.verbena.wire.ib;

import java.nio.ByteBuffer;

/**
 * The CRC-32 of Ethernet of a few words, eight bytes at a time by tables. {@link java.util.zip.CRC32} is much faster for long data, but sums
 * what is before and after a boundary of 16 bytes one byte at a time, and so takes 50 to 70 ns for the headers of a packet.
 *
 * <p>The state of a sum is that of a shift register: {@link #START} at first, and {@link #value} at the end.
 */
final class ShortCrc32 {

    static final int START = -1;

    private static final int POLYNOMIAL = 0xedb88320;
    private static final int STEP_BYTES = 8;
    private static final int VALUES = 256;
    /** Table {@code i} has the sums of a byte with {@code i} zero bytes behind it. */
    private static final int[] TABLES = tables();

    private ShortCrc32() {}

    private static int[] tables() {
        int[] tables = new int[STEP_BYTES * VALUES];
        for (int value = 0; value < VALUES; value++) {
            int sum = value;
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                sum = sum >>> 1 ^ (sum & 1) * POLYNOMIAL;
            }
            tables[value] = sum;
        }
        for (int i = VALUES; i < tables.length; i++) {
            int sum = tables[i - VALUES];
            tables[i] = sum >>> Byte.SIZE ^ tables[sum & VALUES - 1];
        }
        return tables;
    }

    /**
     * Continues a sum with bytes of a buffer in big-endian order.
     *
     * @param from index of the first byte
     * @param to index after the last byte
     */
    static int update(int state, ByteBuffer bytes, int from, int to) {
        int sum = state;
        int at = from;
        for (; at <= to - Long.BYTES; at += Long.BYTES) {
            sum = update(sum, bytes.getLong(at));
        }
        if (at <= to - Integer.BYTES) {
            sum = update(sum, bytes.getInt(at));
            at += Integer.BYTES;
        }
        for (; at < to; at++) {
            sum = sum >>> Byte.SIZE ^ TABLES[(sum ^ bytes.get(at)) & 0xff];
        }
        return sum;
    }

    /** Continues a sum with eight bytes, the first in the highest bits. */
    static int update(int state, long bytes) {
        int first = Integer.reverseBytes((int) (bytes >>> Integer.SIZE)) ^ state;
        int last = Integer.reverseBytes((int) bytes);
        return word(first, Integer.BYTES * VALUES) ^ word(last, 0);
    }

    /** Continues a sum with four bytes, the first in the highest bits. */
    static int update(int state, int bytes) {
        return word(Integer.reverseBytes(bytes) ^ state, 0);
    }

    /** The sum of a word; {@code table} is the one for what is behind its last byte. */
    private static int word(int word, int table) {
        return TABLES[table + 3 * VALUES + (word & 0xff)]
                ^ TABLES[table + 2 * VALUES + (word >>> 8 & 0xff)]
                ^ TABLES[table + VALUES + (word >>> 16 & 0xff)]
                ^ TABLES[table + (word >>> 24)];
    }

    static int value(int state) {
        return ~state;
    }
}
