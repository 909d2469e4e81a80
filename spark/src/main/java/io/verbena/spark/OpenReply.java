package io.verbena.spark;

import static io.verbena.spark.OpenRequest.INT;
import static io.verbena.spark.OpenRequest.LONG;

import io.verbena.verbs.RemoteRegion;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The answer to an {@link OpenRequest}: where the bytes of the blocks are, one after the other, big endian.
 *
 * <pre>
 *  0  slot      that of the request
 *  4  place     where the blocks were collected, to be released after the Read, or 0
 *  8  count     number of blocks; -1 if the request failed
 * 12  runs      number of ranges; after a failure the length of its text
 * 16  lengths   of the blocks, 8 bytes each
 *     ranges    address (8), length (8), key (4) each; together as long as the blocks
 *     text      after a failure, instead: UTF-8
 * </pre>
 *
 * @param slot that of the request
 * @param place where the blocks were collected, or 0
 * @param lengths of the blocks; the array is shared
 * @param runs ranges to be read
 * @param failure why the ranges are not available; empty if they are
 */
record OpenReply(int slot, int place, long[] lengths, List<RemoteRegion> runs, String failure) {

    /** Maximum length. */
    static final int MOST_BYTES = 16 + OpenRequest.MOST_BLOCKS * (8 + RemoteRegion.ENCODED_BYTES);

    private static final int HEADER = 16;
    private static final int MOST_TEXT = 2_000;

    static OpenReply failed(int slot, String failure) {
        return new OpenReply(slot, 0, new long[0], List.of(), failure.isEmpty() ? "unknown" : failure);
    }

    /** Writes the answer and returns its length. */
    int write(MemorySegment to) {
        to.set(INT, 0, slot);
        to.set(INT, 4, place);
        if (!failure.isEmpty()) {
            byte[] text = failure.getBytes(StandardCharsets.UTF_8);
            int length = Math.min(text.length, MOST_TEXT);
            to.set(INT, 8, -1);
            to.set(INT, 12, length);
            MemorySegment.copy(text, 0, to, ValueLayout.JAVA_BYTE, HEADER, length);
            return HEADER + length;
        }
        to.set(INT, 8, lengths.length);
        to.set(INT, 12, runs.size());
        long at = HEADER;
        for (long length : lengths) {
            to.set(LONG, at, length);
            at += 8;
        }
        for (RemoteRegion run : runs) {
            run.write(to, at);
            at += RemoteRegion.ENCODED_BYTES;
        }
        return (int) at;
    }

    /**
     * Reads an answer.
     *
     * @throws IOException if it is not one, or the lengths of blocks and ranges differ
     */
    static OpenReply read(MemorySegment from, long bytes) throws IOException {
        if (bytes < HEADER) {
            throw new IOException("an answer has " + bytes + " bytes");
        }
        int slot = from.get(INT, 0);
        int count = from.get(INT, 8);
        int ranges = from.get(INT, 12);
        if (count == -1 && ranges >= 0 && ranges == bytes - HEADER) {
            byte[] text = from.asSlice(HEADER, ranges).toArray(ValueLayout.JAVA_BYTE);
            return failed(slot, new String(text, StandardCharsets.UTF_8));
        }
        if (count < 0
                || ranges < 0
                || ranges > OpenRequest.MOST_BLOCKS
                || bytes != HEADER + 8L * count + (long) ranges * RemoteRegion.ENCODED_BYTES) {
            throw new IOException("an answer of " + bytes + " bytes has " + count + " blocks in " + ranges + " ranges");
        }
        long[] lengths = new long[count];
        long difference = 0;
        for (int i = 0; i < count; i++) {
            lengths[i] = from.get(LONG, HEADER + 8L * i);
            difference += lengths[i];
            requireLength(lengths[i]);
        }
        List<RemoteRegion> runs = new ArrayList<>();
        for (int i = 0; i < ranges; i++) {
            long at = HEADER + 8L * count + (long) i * RemoteRegion.ENCODED_BYTES;
            requireLength(from.get(LONG, at + 8));
            if (from.get(LONG, at + 8) == 0) {
                throw new IOException("range " + i + " of an answer is empty"); // no Read of it would complete
            }
            RemoteRegion run = RemoteRegion.read(from, at);
            difference -= run.length();
            runs.add(run);
        }
        if (difference != 0) {
            throw new IOException("the blocks of an answer have " + difference + " bytes more than its ranges");
        }
        return new OpenReply(slot, from.get(INT, 4), lengths, runs, "");
    }

    /** Sums of lengths in this range do not overflow. */
    private static void requireLength(long bytes) throws IOException {
        if (bytes < 0 || bytes > 1L << 52) {
            throw new IOException("an answer has a length of " + bytes);
        }
    }
}
