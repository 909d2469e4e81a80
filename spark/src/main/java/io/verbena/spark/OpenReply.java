package io.verbena.spark;

import io.verbena.verbs.RemoteRegion;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The answer to an {@link OpenRequest}: where the bytes of the blocks are, one after the other, big endian.
 *
 * <pre>
 *  0  slot      that of the request
 *  4  place     where the blocks were collected, to be released after the Read, or 0
 *  8  count     number of blocks; -1 if the request failed
 * 12  runs      number of ranges; after a failure the length of its text
 * 16  first     the block whose output is the first of those that follow
 * 20  outputs   number of whole outputs
 * 24  lengths   of the blocks, 8 bytes each
 *     ranges    address (8), length (8), key (4) each; together as long as the blocks
 *     outputs   address (8), key (4), number of offsets (4), offsets of the partitions and the length (8 each)
 *     text      after a failure, instead: UTF-8
 * </pre>
 *
 * @param slot that of the request
 * @param place where the blocks were collected, or 0
 * @param lengths of the blocks; the array is shared
 * @param runs ranges to be read
 * @param outputs where the whole outputs of these blocks are: later blocks of them need no request
 * @param failure why the ranges are not available; empty if they are
 */
record OpenReply(int slot, int place, long[] lengths, List<RemoteRegion> runs, Outputs outputs, String failure) {

    /**
     * Whole outputs, as many as there is space for.
     *
     * @param first the block whose output is the first one; those of the following blocks follow
     * @param found the outputs
     */
    record Outputs(int first, List<RemoteOutput> found) {

        static final Outputs NONE = new Outputs(0, List.of());
    }

    /** Maximum length. */
    static final int MOST_BYTES = 32 << 10;

    private static final int HEADER = 24;
    private static final int RANGE = RemoteRegion.ENCODED_BYTES;

    private static final int MOST_TEXT = 2_000;

    /** Bytes that are collected for a request. */
    private static final long MOST_COLLECTED = 1 << 20;

    /** Sums of lengths in this range do not overflow. */
    static final long MOST_LENGTH = 1L << 52;

    static OpenReply failed(int slot, String failure) {
        return new OpenReply(slot, 0, new long[0], List.of(), Outputs.NONE, failure.isEmpty() ? "unknown" : failure);
    }

    /** Where blocks are, or where they were collected. */
    static OpenReply found(int slot, int place, long[] lengths, List<RemoteRegion> runs) {
        return new OpenReply(slot, place, lengths, runs, Outputs.NONE, "");
    }

    /**
     * Where blocks are: the ranges of partitions that their outputs have.
     *
     * @param outputs of each block
     */
    static OpenReply of(int slot, OpenRequest.Blocks blocks, List<RemoteOutput> outputs) {
        long[] lengths = new long[blocks.count()];
        List<RemoteRegion> runs = new ArrayList<>();
        for (int i = 0; i < lengths.length; i++) {
            int first = blocks.first()[i];
            int end = blocks.end()[i];
            lengths[i] = outputs.get(i).length(first, end);
            if (lengths[i] > 0) {
                add(runs, outputs.get(i).range(first, end));
            }
        }
        return found(slot, 0, lengths, runs);
    }

    /** Bytes of all blocks. */
    long bytes() {
        return LongStream.of(lengths).sum();
    }

    /**
     * Whether the executor that has the blocks collects them, so that they are read at once.
     *
     * @param gatheredBytes mean length of a range up to which it does so
     */
    boolean collected(int gatheredBytes) {
        return runs.size() > 1 && bytes() <= MOST_COLLECTED && bytes() / runs.size() <= gatheredBytes;
    }

    /** The same with these outputs. */
    OpenReply withOutputs(int first, List<RemoteOutput> found) {
        return new OpenReply(slot, place, lengths, runs, new Outputs(first, found), failure);
    }

    /** Bytes that are left for outputs. */
    int space() {
        return MOST_BYTES - HEADER - 8 * lengths.length - RANGE * runs.size();
    }

    /** Adds a range, to the last one if it follows it. */
    private static void add(List<RemoteRegion> runs, RemoteRegion range) {
        RemoteRegion last = runs.isEmpty() ? range : runs.getLast();
        if (!runs.isEmpty() && last.rkey() == range.rkey() && last.address() + last.length() == range.address()) {
            runs.set(runs.size() - 1, new RemoteRegion(last.address(), last.length() + range.length(), last.rkey()));
        } else {
            runs.add(range);
        }
    }

    /** Writes the answer and returns its length. */
    int write(MemorySegment segment) {
        ByteBuffer to = segment.asByteBuffer();
        to.putInt(slot).putInt(place);
        if (!failure.isEmpty()) {
            byte[] text = failure.getBytes(StandardCharsets.UTF_8);
            int length = Math.min(text.length, MOST_TEXT);
            to.putInt(-1).putInt(length).putInt(0).putInt(0).put(text, 0, length);
            return to.position();
        }
        to.putInt(lengths.length)
                .putInt(runs.size())
                .putInt(outputs.first())
                .putInt(outputs.found().size());
        for (long length : lengths) {
            to.putLong(length);
        }
        for (RemoteRegion run : runs) {
            run.write(segment, to.position());
            to.position(to.position() + RANGE);
        }
        outputs.found().forEach(output -> output.write(to));
        return to.position();
    }

    /**
     * Reads an answer.
     *
     * @throws IOException if it is not one, or the lengths of blocks and ranges differ
     */
    static OpenReply read(MemorySegment segment, long bytes) throws IOException {
        ByteBuffer from = segment.asByteBuffer();
        if (bytes < HEADER) {
            throw new IOException("an answer has " + bytes + " bytes");
        }
        int slot = from.getInt(0);
        int count = from.getInt(8);
        int ranges = from.getInt(12);
        if (count == -1 && ranges >= 0 && ranges == bytes - HEADER) {
            return failed(
                    slot,
                    StandardCharsets.UTF_8.decode(from.slice(HEADER, ranges)).toString());
        }
        if (count < 0
                || ranges < 0
                || ranges > OpenRequest.MOST_BLOCKS
                || bytes < HEADER + 8L * count + (long) ranges * RANGE) {
            throw new IOException("an answer of " + bytes + " bytes has " + count + " blocks in " + ranges + " ranges");
        }
        long[] lengths = new long[count];
        long difference = 0;
        for (int i = 0; i < count; i++) {
            lengths[i] = from.getLong(HEADER + 8 * i);
            difference += lengths[i];
            requireLength(lengths[i]);
        }
        List<RemoteRegion> runs = new ArrayList<>();
        for (int i = 0; i < ranges; i++) {
            int at = HEADER + 8 * count + i * RANGE;
            requireLength(from.getLong(at + 8));
            if (from.getLong(at + 8) == 0) {
                throw new IOException("range " + i + " of an answer is empty"); // no Read of it would complete
            }
            RemoteRegion run = RemoteRegion.read(segment, at);
            difference -= run.length();
            runs.add(run);
        }
        if (difference != 0) {
            throw new IOException("the blocks of an answer have " + difference + " bytes more than its ranges");
        }
        int end = HEADER + 8 * count + ranges * RANGE;
        ByteBuffer rest = from.slice(end, (int) bytes - end);
        return found(slot, from.getInt(4), lengths, runs)
                .withOutputs(from.getInt(16), outputs(rest, from.getInt(16), from.getInt(20), count));
    }

    private static List<RemoteOutput> outputs(ByteBuffer from, int first, int count, int blocks) throws IOException {
        if (first < 0 || count < 0 || first > blocks || count > blocks - first) {
            throw new IOException("an answer has " + count + " outputs from block " + first + " of " + blocks);
        }
        List<RemoteOutput> outputs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            outputs.add(RemoteOutput.read(from));
        }
        if (from.hasRemaining()) {
            throw new IOException("an answer has " + from.remaining() + " bytes after its end");
        }
        return outputs;
    }

    private static void requireLength(long bytes) throws IOException {
        if (bytes < 0 || bytes > MOST_LENGTH) {
            throw new IOException("an answer has a length of " + bytes);
        }
    }
}
