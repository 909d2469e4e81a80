package io.verbena.memory.vmm;

import org.jspecify.annotations.Nullable;

/**
 * A first-come first-served queue of pages. Under the lock of the VMM; a page is queued at most once, so the queue is
 * bounded.
 */
final class PageQueue {

    private @Nullable VirtualSegment[] segments = new VirtualSegment[64];
    private long[] pages = new long[64];
    private int first;
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    void add(VirtualSegment segment, long page) {
        if (size == pages.length) {
            grow();
        }
        int at = first + size++ & pages.length - 1;
        segments[at] = segment;
        pages[at] = page;
    }

    /** The segment of the first. */
    VirtualSegment segment() {
        VirtualSegment segment = segments[first];
        assert segment != null;
        return segment;
    }

    /** The page of the first. */
    long page() {
        return pages[first];
    }

    boolean isAt(VirtualSegment segment, long page) {
        return segments[first] == segment && pages[first] == page;
    }

    void remove() {
        segments[first] = null;
        first = first + 1 & pages.length - 1;
        size--;
    }

    private void grow() {
        @Nullable VirtualSegment[] grownSegments = new VirtualSegment[pages.length * 2];
        long[] grownPages = new long[pages.length * 2];
        for (int i = 0; i < size; i++) {
            grownSegments[i] = segments[first + i & pages.length - 1];
            grownPages[i] = pages[first + i & pages.length - 1];
        }
        segments = grownSegments;
        pages = grownPages;
        first = 0;
    }
}
