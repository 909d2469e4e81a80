package io.verbena.messaging.channel;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;

/** A data transfer vector: elements to send, in order, and the number of elements that have been accepted. Reusable. */
public final class TransferVector {

    private MemorySegment[] segments = new MemorySegment[4];
    private long[] offsets = new long[4];
    private int[] lengths = new int[4];
    private int count;
    private int position;
    private long transferredBytes;

    /** Removes all elements. */
    public TransferVector clear() {
        count = 0;
        position = 0;
        transferredBytes = 0;
        return this;
    }

    /** Appends an element. */
    public TransferVector add(MemorySegment segment, long offset, int length) {
        Objects.checkFromIndexSize(offset, length, segment.byteSize());
        if (count == lengths.length) {
            segments = Arrays.copyOf(segments, 2 * count);
            offsets = Arrays.copyOf(offsets, 2 * count);
            lengths = Arrays.copyOf(lengths, 2 * count);
        }
        segments[count] = segment;
        offsets[count] = offset;
        lengths[count++] = length;
        return this;
    }

    /** Number of elements. */
    public int count() {
        return count;
    }

    /** Number of elements that have been accepted. */
    public int position() {
        return position;
    }

    /** Number of bytes that have been accepted. */
    public long transferredBytes() {
        return transferredBytes;
    }

    /** Returns whether all elements have been accepted. */
    public boolean done() {
        return position == count;
    }

    MemorySegment segment() {
        return segments[position];
    }

    long offset() {
        return offsets[position];
    }

    int length() {
        return lengths[position];
    }

    int[] lengths() {
        return lengths;
    }

    void taken() {
        transferredBytes += lengths[position++];
    }
}
