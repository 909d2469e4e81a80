package io.verbena.memory.vmm;

import java.io.IOException;

/**
 * Evicts pages from their frames: to swap them out, because their segment was made shorter, or because it is unmapped.
 * Unlike the {@link Vmm} it blocks on files, so it runs on the thread of the caller, without the lock. {@code pause} is
 * called repeatedly while others still work on the pages.
 */
public final class Removal {

    private final Vmm vmm;
    private final Pager pager;

    public Removal(Vmm vmm) {
        this.vmm = vmm;
        pager = vmm.pager();
    }

    /** After {@link Vmm#shrink} settled: frames and the end of the file are given back. Blocks on files. */
    public void dropBehind(Mapping mapping, Runnable pause) throws IOException {
        VirtualSegment segment;
        long first;
        synchronized (vmm) {
            segment = vmm.entry(mapping).segment();
            // Including the last page: bytes beyond the end of the file are read back as zeros.
            first = segment.length() >>> vmm.pageShift();
        }
        while (pager.holds(segment, first)) {
            takeOut(segment, first, Long.MAX_VALUE, pause);
            pause.run();
        }
        segment.store().resize(segment.length());
    }

    /**
     * After {@link Vmm#unmap} settled: if no process maps the segment any more, writes changed pages of a file and
     * releases frames and memory. Blocks on files.
     *
     * @param pause called repeatedly while others still work on the pages
     */
    public void giveBack(Leaving leaving, Runnable pause) throws IOException {
        VirtualSegment segment = leaving.segment;
        if (!leaving.last) {
            vmm.dropTable(segment, leaving.table);
            return;
        }
        if (!segment.pageable()) {
            segment.giveBack();
            return;
        }
        try {
            takeOut(segment, 0, Long.MAX_VALUE, pause);
        } finally {
            end(segment, pause);
        }
    }

    /**
     * Ends a segment: no more pages are read, pending writes complete, pages that could not be written are discarded,
     * which was reported.
     */
    private void end(VirtualSegment segment, Runnable pause) throws IOException {
        synchronized (vmm) {
            segment.kill();
        }
        PageJob job = new PageJob();
        while (pager.holds(segment, 0) || busy(segment)) {
            if (pager.takeOut(job, segment, 0, Long.MAX_VALUE)) {
                finish(job, pause);
            } else {
                pause.run();
            }
        }
        segment.store().close();
    }

    private boolean busy(VirtualSegment segment) {
        synchronized (vmm) {
            return segment.inFlight() > 0;
        }
    }

    private void finish(PageJob job, Runnable pause) {
        while (!job.settled()) {
            pause.run();
        }
        pager.perform(job);
        pager.finish(job);
    }

    private void takeOut(VirtualSegment segment, long firstPage, long endPage, Runnable pause) throws IOException {
        PageJob job = new PageJob();
        while (pager.takeOut(job, segment, firstPage, endPage)) {
            finish(job, pause);
            if (!job.reason.isEmpty()) {
                throw new IOException("pages could not be written: " + job.reason);
            }
        }
    }

    /** Evicts the pages of a range of a segment. Blocks on files. */
    public void swapOut(Mapping mapping, long offset, long length, Runnable pause) throws IOException {
        VirtualSegment segment;
        synchronized (vmm) {
            segment = vmm.entry(mapping).segment();
        }
        takeOut(segment, offset >>> vmm.pageShift(), vmm.pagesOf(offset + length), pause);
    }
}
