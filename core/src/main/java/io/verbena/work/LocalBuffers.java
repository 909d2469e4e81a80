package io.verbena.work;

import io.verbena.base.Slab;
import io.verbena.memory.AccessCheck;
import io.verbena.memory.CopyResult;
import io.verbena.memory.Region;
import io.verbena.memory.RegionTable;
import io.verbena.memory.Verdict;
import io.verbena.queue.Wqe;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Moves payload between frames and the gather or scatter list of a work queue element. Every piece is checked each
 * time: what was registered when the work was posted may not be now.
 */
public final class LocalBuffers {

    /** More than one filling shows. */
    private static final int MOST_VIEWED = 64;

    private static final int PROBE_BYTES = 4096;
    private static final ByteBuffer NONE = ByteBuffer.allocate(0);

    private final RegionTable regions;
    private final AccessCheck check;
    private final int domain;
    private final int queuePair;
    private final int engine;
    private long viewAddress;

    /** The views of the last turn or so, a ring. */
    private @Nullable Region[] viewed = {};

    private long[] viewedOffset = {};
    private int[] viewedLength = {};
    private int nextViewed;

    public LocalBuffers(RegionTable regions, AccessCheck check, int domain, int queuePair, int engine) {
        this.regions = regions;
        this.check = check;
        this.domain = domain;
        this.queuePair = queuePair;
        this.engine = engine;
    }

    /** Copies {@code count} bytes of the message, from {@code messageOffset} on, out of its list. */
    public Moved gather(Wqe wqe, long messageOffset, MemorySegment target, long targetOffset, int count) {
        if (wqe.inline()) {
            MemorySegment.copy(wqe.bytes(), wqe.inlineOffset() + messageOffset, target, targetOffset, count);
            return Moved.DONE;
        }
        return walk(wqe, messageOffset, target, targetOffset, count, false);
    }

    /** Copies {@code count} bytes to the message's list, from {@code messageOffset} on. */
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
            Verdict verdict = check.checkLocal(
                    regions, wqe.elementKey(i), domain, queuePair, wqe.elementOffset(i) + skip, piece, write);
            if (!verdict.ok()) {
                return Moved.of(verdict);
            }
            Region region = check.region();
            CopyResult result = write
                    ? region.copyIn(check.offset(), frame, at, piece)
                    : region.copyOut(check.offset(), frame, at, piece);
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

    /** Whether all of a list may be used; for work whose use comes later (Reads). */
    public boolean usable(Wqe wqe, boolean write) {
        for (int i = 0; i < wqe.elements(); i++) {
            int length = wqe.elementLength(i);
            if (length > 0 && !usable(wqe, i, length, write)) {
                return false;
            }
        }
        return true;
    }

    private boolean usable(Wqe wqe, int element, int length, boolean write) {
        Verdict verdict = check.checkLocal(
                regions, wqe.elementKey(element), domain, queuePair, wqe.elementOffset(element), length, write);
        return verdict.ok() || verdict == Verdict.NOT_NOW;
    }

    /**
     * A view of what an access check just allowed, its position and limit around it; empty for memory that the user may
     * take away during a system call, for memory that is gone, and for pages.
     */
    public ByteBuffer view(AccessCheck allowed, int count) {
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
            viewed = new Region[MOST_VIEWED];
            viewedOffset = new long[MOST_VIEWED];
            viewedLength = new int[MOST_VIEWED];
        }
        viewed[nextViewed] = region;
        viewedOffset[nextViewed] = offset;
        viewedLength[nextViewed] = count;
        nextViewed = (nextViewed + 1) % MOST_VIEWED;
    }

    /**
     * A system call on a view said that memory is not there, but not which: touches what was shown lately, so that the region
     * that is lost knows it.
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

    /** Where the last view that was not empty lies in memory. */
    public long viewAddress() {
        return viewAddress;
    }

    /**
     * A view of the one piece of memory that holds {@code count} bytes of the message from {@code messageOffset} on,
     * its position and limit around them; an empty buffer if they are not in one piece or may not be used.
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
            if (whole
                    && check.checkLocal(
                                    regions,
                                    wqe.elementKey(i),
                                    domain,
                                    queuePair,
                                    wqe.elementOffset(i) + skip,
                                    piece,
                                    write)
                            .ok()) {
                return view(check, piece);
            }
            return NONE;
        }
        return NONE;
    }
}
