package io.verbena.tcp.receive;

import io.verbena.base.Slab;
import io.verbena.tcp.segment.BufferPool;
import io.verbena.tcp.segment.LentSegments;
import io.verbena.tcp.segment.RangeSet;
import io.verbena.tcp.segment.SegmentIn;
import io.verbena.tcp.state.TcpCounters;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Where the bytes are that have arrived and were not taken: in the memory of the carrier, while that lends it, or in the receive ring.
 *
 * <pre>
 *   segment --> {@link LentSegments} --> owner                          no copy
 *                     |
 *                     +-- {@link #settle}: what was not taken --> {@link ReceiveRing} --> owner
 * </pre>
 *
 * <p>A byte that was taken is in neither of them for certain.
 */
final class ArrivedBytes {

    private final BufferPool memory;
    private final TcpCounters counters;
    private final LentSegments lent = new LentSegments();
    private @Nullable ReceiveRing ring;

    // The range that was located last.
    private Slab slab;
    private int position;
    private long end;

    ArrivedBytes(BufferPool memory, TcpCounters counters) {
        this.memory = memory;
        this.counters = counters;
        this.slab = lent.slab();
    }

    int capacity() {
        return memory.slabBytes() - ReceiveRing.TAIL;
    }

    private ReceiveRing ring() {
        ReceiveRing currentRing = ring;
        if (currentRing == null) {
            currentRing = new ReceiveRing(memory.take());
            ring = currentRing;
        }
        return currentRing;
    }

    /** Keeps bytes of a segment that are in neither place. {@code mayBorrow}: they may stay where they are, if the carrier lends that. */
    void keep(long first, long last, SegmentIn in, long offset, boolean mayBorrow) {
        Slab lender = in.lent();
        if (!mayBorrow || lender == null || !lent.add(first, last, lender, (int) offset)) {
            store(first, last, in.memory(), offset);
        }
    }

    private void store(long first, long last, MemorySegment source, long offset) {
        ring().put(first, source, offset, (int) (last - first));
        counters.bytesCopied += last - first;
    }

    /** Whether bytes of the carrier are in use. */
    boolean borrows() {
        return lent.count() > 0;
    }

    /** The carrier uses its memory again: copies what was not taken. */
    void settle(long taken, RangeSet takenRanges) {
        for (int i = 0; i < lent.count(); i++) {
            for (long at = Math.max(lent.from(i), taken); at < lent.to(i); ) {
                long missing = takenRanges.firstMissing(at);
                long last = takenRanges.firstPresent(missing, lent.to(i));
                if (missing < last) {
                    store(missing, last, lent.slab().segment(), lent.position(i) + missing - lent.from(i));
                }
                at = Math.max(missing, last);
            }
        }
        lent.clear();
    }

    /** Finds the contiguous bytes from {@code at} on that end at {@code limit} or before. */
    void locate(long at, long limit) {
        int index = lent.below(at);
        boolean follows = index < lent.count();
        if (follows && lent.from(index) <= at) {
            slab = lent.slab();
            position = lent.position(index) + (int) (at - lent.from(index));
            end = Math.min(limit, lent.to(index));
        } else {
            slab = ring().slab();
            position = ring().position(at);
            end = Math.min(follows ? Math.min(limit, lent.from(index)) : limit, at + ReceiveRing.TAIL);
        }
    }

    /** The slab with the bytes of {@link #locate}. */
    Slab slab() {
        return slab;
    }

    /** Their position in the slab. */
    int position() {
        return position;
    }

    /** The sequence number after them. */
    long end() {
        return end;
    }

    /** Copies bytes, none of which is lent. */
    void read(long from, int count, ByteBuffer target) {
        for (int done = 0; done < count; ) {
            ReceiveRing source = ring();
            int at = source.position(from + done);
            int part = Math.min(count - done, source.capacity() - at);
            target.put(target.position(), source.slab().range(at, at + part), at, part);
            target.position(target.position() + part);
            done += part;
        }
    }

    /** Returns the memory. */
    void discard() {
        ReceiveRing currentRing = ring;
        if (currentRing != null) {
            ring = null;
            memory.give(currentRing.slab());
        }
        lent.clear();
        slab = lent.slab();
    }
}
