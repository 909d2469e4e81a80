package io.verbena.messaging.collective;

import java.util.Arrays;

/** Where the parts of a buffer are that belong to each rank: lengths and offsets in bytes. */
public final class Blocks {

    /** For collective operations without such parts. */
    public static final Blocks NONE = new Blocks(new long[0], new long[0]);

    private final long[] lengths;
    private final long[] offsets;

    private Blocks(long[] lengths, long[] offsets) {
        this.lengths = lengths;
        this.offsets = offsets;
    }

    /**
     * Parts at any offset; those of a buffer that is written must not overlap.
     *
     * @throws IllegalArgumentException if the arrays have different lengths, or a number is negative
     */
    public static Blocks of(long[] lengths, long[] offsets) {
        if (lengths.length != offsets.length) {
            throw new IllegalArgumentException(
                    "there are " + lengths.length + " lengths of blocks, and " + offsets.length + " offsets");
        }
        for (int i = 0; i < lengths.length; i++) {
            if (lengths[i] < 0 || offsets[i] < 0) {
                throw new IllegalArgumentException("block " + i + " has " + lengths[i] + " bytes at offset "
                        + offsets[i] + ": neither may be negative");
            }
        }
        return new Blocks(lengths.clone(), offsets.clone());
    }

    /** Parts one after another. */
    public static Blocks of(long... lengths) {
        long[] offsets = new long[lengths.length];
        for (int i = 1; i < lengths.length; i++) {
            offsets[i] = offsets[i - 1] + lengths[i - 1];
        }
        return of(lengths, offsets);
    }

    /** Parts of one length, one after another. */
    static Blocks even(int count, long bytes) {
        long[] lengths = new long[count];
        Arrays.fill(lengths, bytes);
        return of(lengths);
    }

    /** Divides a vector; parts are multiples of a unit except the last one that is not empty. */
    static Blocks divided(long bytes, int count, int unit) {
        long units = (bytes + unit - 1) / unit;
        long each = (units + count - 1) / count * unit;
        long[] lengths = new long[count];
        long left = bytes;
        for (int i = 0; i < count; i++) {
            lengths[i] = Math.min(each, left);
            left -= lengths[i];
        }
        return of(lengths);
    }

    public int count() {
        return lengths.length;
    }

    public long length(int rank) {
        return lengths[rank];
    }

    public long offset(int rank) {
        return offsets[rank];
    }

    /** Sum of the lengths from one part to before another; these parts are one after another. */
    long lengthOf(int from, int to) {
        long sum = 0;
        for (int i = from; i < to; i++) {
            sum += lengths[i];
        }
        return sum;
    }

    /** Sum of all lengths. */
    public long total() {
        return lengthOf(0, lengths.length);
    }

    /** End of the last part. */
    public long end() {
        long end = 0;
        for (int i = 0; i < lengths.length; i++) {
            end = Math.max(end, lengths[i] == 0 ? 0 : offsets[i] + lengths[i]);
        }
        return end;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Blocks that
                && Arrays.equals(lengths, that.lengths)
                && Arrays.equals(offsets, that.offsets);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(lengths) + Arrays.hashCode(offsets);
    }
}
