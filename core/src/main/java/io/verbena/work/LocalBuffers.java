package io.verbena.work;

import io.verbena.base.Slab;
import io.verbena.memory.CopyResult;
import io.verbena.memory.Region;
import io.verbena.memory.RegionTable;
import io.verbena.memory.Verdict;
import io.verbena.queue.Wqe;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Moves payload between frames and the gather or scatter list of a work queue element. Each access checks the local key
 * again, because a region that was registered when the work was posted may since have been deregistered.
 */
public final class LocalBuffers {

    /** Number of views that are remembered: more than one transmit list contains. */
    private static final int MAX_VIEWED = 64;

    private static final int PROBE_BYTES = 4096;
    private static final ByteBuffer NONE = ByteBuffer.allocate(0);

    private final RegionTable regions;
    private final Grant grant = new Grant();
    private final int domain;
    private final int queuePair;
    private final int engine;
    private long viewAddress;

    /** The most recent views, as a ring. */
    private @Nullable Region[] viewed = {};

    private long[] viewedOffset = {};
    private int[] viewedLength = {};
    private int nextViewed;

    public LocalBuffers(QueuePairContext context) {
        regions = context.regions();
        domain = context.domain();
        queuePair = context.number();
        engine = context.engine();
    }

    /** Copies {@code count} bytes from the gather list, starting at {@code messageOffset}, to {@code target}. */
    public Moved gather(Wqe wqe, long messageOffset, MemorySegment target, long targetOffset, int count) {
        if (wqe.inline()) {
            MemorySegment.copy(wqe.bytes(), wqe.inlineOffset() + messageOffset, target, targetOffset, count);
            return Moved.DONE;
        }
        return walk(wqe, messageOffset, target, targetOffset, count, false);
    }

    /** Copies {@code count} bytes from {@code source} to the scatter list, starting at {@code messageOffset}. */
    public Moved scatter(Wqe wqe, long messageOffset, MemorySegment source, long sourceOffset, int count) {
        return walk(wqe, messageOffset, source, sourceOffset, count, true);
    }

    private Moved walk(Wqe wqe, long messageOffset, MemorySegment frame, long frameOffset, int count, boolean write) {
        long skip = messageOffset;
        int left = count;
        long at = frameOffset;
        int elements = wqe.elements();
        for (int i = 0; i < elements && left > 0; i++) {
            int length = wqe.elementLength(i);
            if (skip >= length) {
                skip -= length;
                continue;
            }
            int piece = (int) Math.min(left, length - skip);
            Verdict verdict = check(wqe, i, skip, piece, write);
            if (!verdict.ok()) {
                return Moved.of(verdict);
            }
            Region region = grant.region();
            CopyResult result = write
                    ? region.copyIn(grant.offset(), frame, at, piece)
                    : region.copyOut(grant.offset(), frame, at, piece);
            if (result != CopyResult.DONE) {
                return Moved.of(result);
            }
            at += piece;
            left -= piece;
            skip = 0;
        }
        assert left == 0;
        return Moved.DONE;
    }

    /** Checks {@code count} bytes of one list element, starting {@code skip} bytes into it. */
    private Verdict check(Wqe wqe, int element, long skip, int count, boolean write) {
        return grant.check.checkLocal(
                regions, wqe.elementKey(element), domain, queuePair, wqe.elementOffset(element) + skip, count, write);
    }

    /** Whether the whole list may be accessed; for work that accesses it later (Reads). */
    public boolean usable(Wqe wqe, boolean write) {
        for (int i = 0; i < wqe.elements(); i++) {
            int length = wqe.elementLength(i);
            if (length > 0) {
                Verdict verdict = check(wqe, i, 0, length, write);
                if (!verdict.ok() && verdict != Verdict.NOT_NOW) {
                    return false;
                }
            }
        }
        return true;
    }

    /**
     * A view of {@code count} granted bytes, from its position to its limit. The view is empty for memory that the user may
     * release during a system call, for memory that no longer exists, and for pageable memory.
     */
    public ByteBuffer view(Grant allowed, int count) {
        Region region = allowed.region();
        if (!region.steady() || !region.pinned() || !region.present(allowed.offset(), count)) {
            return NONE;
        }
        viewAddress = region.segment().address() + allowed.offset();
        remember(region, allowed.offset(), count);
        return region.directView(engine, allowed.offset(), count);
    }

    private void remember(Region region, long offset, int count) {
        if (viewed.length == 0) {
            viewed = new Region[MAX_VIEWED];
            viewedOffset = new long[MAX_VIEWED];
            viewedLength = new int[MAX_VIEWED];
        }
        viewed[nextViewed] = region;
        viewedOffset[nextViewed] = offset;
        viewedLength[nextViewed] = count;
        nextViewed = (nextViewed + 1) % MAX_VIEWED;
    }

    /**
     * A system call failed because a view's memory no longer exists, without reporting which. Accesses the most recent views,
     * which marks the lost region as lost.
     */
    public void probeViewed() {
        MemorySegment scratch = new Slab(PROBE_BYTES).segment();
        for (int slot = 0; slot < viewed.length; slot++) {
            Region region = viewed[slot];
            long end = viewedOffset[slot] + viewedLength[slot];
            CopyResult result = CopyResult.DONE;
            for (long at = viewedOffset[slot];
                    region != null && at < end && result == CopyResult.DONE;
                    at += PROBE_BYTES) {
                result = region.copyOut(at, scratch, 0, (int) Math.min(PROBE_BYTES, end - at));
            }
            viewed[slot] = null;
        }
    }

    /** Memory address of the most recent view that was not empty. */
    public long viewAddress() {
        return viewAddress;
    }

    /**
     * A view of the bytes of the list that start at {@code messageOffset}, from its position to its limit. For a read access
     * it has {@code count} bytes, for a write access those in the first piece. The view is empty if {@code count} bytes to be
     * read are not contiguous, or if the access is not allowed.
     */
    public ByteBuffer view(Wqe wqe, long messageOffset, int count, boolean write) {
        long skip = messageOffset;
        for (int i = 0; i < wqe.elements() && !wqe.inline(); i++) {
            int length = wqe.elementLength(i);
            if (skip >= length) {
                skip -= length;
                continue;
            }
            int piece = (int) Math.min(count, length - skip);
            boolean whole = piece == count || write;
            if (whole && check(wqe, i, skip, piece, write).ok()) {
                return view(grant, piece);
            }
            return NONE;
        }
        return NONE;
    }
}
