package io.verbena.memory.vmm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads pages into frames and evicts them. It has no thread: a driver takes jobs and performs them.
 *
 * <pre>
 *   if (pager.take(job)) {            // under the lock, short
 *       while (!job.settled()) wait   // engines leave their turns
 *       pager.perform(job)            // reads or writes files, no lock
 *       pager.finish(job)             // under the lock; notifies engines
 *   }
 * </pre>
 *
 * Several threads may do so at once. Victims are selected by the clock algorithm: a hand passes over the frames; a page
 * stays if it was used since the last pass, or if it was requested and has not been used yet.
 */
public final class Pager {

    /** Result of {@link #ask}. */
    enum Asked {
        PRESENT,
        COMING,
        FAILED
    }

    /** Number of passes of the hand during which a requested page is kept for its access. */
    private static final byte KEPT_FOR_ASKER = 32;

    /** Number of frame shortages before an access that does not repeat its request loses its priority. */
    private static final int MOST_FAVOUR = 64;

    private static final int MOST_OVERTAKEN = 4;

    /** Number of passes during which a page that was read ahead is kept. */
    private static final byte KEPT_AHEAD = 2;

    private final Object lock;
    private final PagingObservers observers;
    private final FramePool pool;
    private final int readAhead;
    private final @Nullable VirtualSegment[] owners;
    private final long[] pages;
    private final byte[] kept;
    private final long[] arrived;
    private long arrivals;
    private final int[] free;
    private int freeCount;
    private int hand;
    private final int lowMark;
    private final int batch;
    private int takingOut;
    private final PageQueue wanted = new PageQueue();
    private final PageQueue ahead = new PageQueue();
    private boolean starved;
    private @Nullable VirtualSegment favoured;
    private long favouredFirst;
    private long favouredLast;
    private int favour;

    /** Number of pages read while a page that was requested ahead waited. */
    private int overtaken;

    private Runnable onWork = () -> {};
    private final Figures figures = new Figures();

    /** Counters since the creation of the VMM. */
    static final class Figures {
        long faults;
        long pagedIn;
        long pagedAhead;
        long evicted;
        long written;
        long failedReads;
        long failedWrites;
    }

    /**
     * @param lock the lock of the VMM
     * @param readAhead maximum number of pages that are read ahead of sequential access; 0 for none
     */
    Pager(Object lock, PagingObservers observers, FramePool pool, int readAhead) {
        this.lock = lock;
        this.observers = observers;
        this.pool = pool;
        this.readAhead = readAhead;
        int frames = pool.frames();
        owners = new VirtualSegment[frames];
        pages = new long[frames];
        kept = new byte[frames];
        arrived = new long[frames];
        free = new int[frames];
        for (int i = 0; i < frames; i++) {
            free[i] = frames - 1 - i;
        }
        freeCount = frames;
        lowMark = Math.clamp(frames / 16, 1, 128);
        batch = Math.clamp(frames / 16, 1, PageJob.MOST);
    }

    /** Called, on any thread, when there may be work again. */
    public void onWork(Runnable wake) {
        synchronized (lock) {
            onWork = wake;
        }
    }

    /** Whether pages are requested but no frame is available now; {@link #take} should be retried in a millisecond. */
    public boolean starved() {
        synchronized (lock) {
            return starved;
        }
    }

    /** Whether {@link #take} may return a job. */
    public boolean hasWork() {
        synchronized (lock) {
            return (!wanted.isEmpty() || !ahead.isEmpty()) && (freeCount > 0 || takingOut == 0);
        }
    }

    // Engines.

    /** Requests a missing page. */
    Asked ask(VirtualSegment segment, long page) {
        synchronized (lock) {
            long seen = segment.entry(page);
            if (PageEntry.has(seen, PageEntry.VALID)) {
                return Asked.PRESENT;
            }
            if (segment.dead() || PageEntry.has(seen, PageEntry.FAILED)) {
                segment.put(page, PageEntry.NONE);
                return Asked.FAILED;
            }
            if (PageEntry.has(seen, PageEntry.WANTED)) {
                return Asked.COMING;
            }
            figures.faults++;
            want(segment, page, seen, wanted);
            int more = segment.aheadOf(page, readAhead);
            long end = Math.min(segment.pages(), page + 1 + more);
            for (long next = page + 1; next < end; next++) {
                if (segment.entry(next) == PageEntry.NONE) {
                    want(segment, next, PageEntry.NONE, ahead);
                }
            }
            onWork.run();
            return Asked.COMING;
        }
    }

    private static void want(VirtualSegment segment, long page, long seen, PageQueue queue) {
        if (PageEntry.has(seen, PageEntry.LEAVING)) {
            // The page must be written to the file first; then it is requested.
            segment.put(page, PageEntry.LEAVING | PageEntry.WANTED);
        } else {
            segment.put(page, PageEntry.WANTED);
            queue.add(segment, page);
        }
    }

    // Operations of the driver.

    /** The next piece of work, if there is one now. */
    public boolean take(PageJob job) {
        synchronized (lock) {
            starved = false;
            dropDead(wanted);
            dropDead(ahead);
            if (atLimit(wanted) || atLimit(ahead)) {
                return takeFromOwner(job, atLimit(wanted) ? wanted : ahead);
            }
            if (takingOut == 0 && freeCount < lowMark && (freeCount == 0 || !wanted.isEmpty() || !ahead.isEmpty())) {
                job.begin(PageJob.Kind.TAKE_OUT);
                sweep(job, Optional.empty());
                if (job.count > 0) {
                    leave(job);
                    return true;
                }
            }
            if (freeCount > 0 && bringIn(job)) {
                return true;
            }
            starved = takingOut == 0 && freeCount == 0 && (!wanted.isEmpty() || !ahead.isEmpty());
            return false;
        }
    }

    private static boolean atLimit(PageQueue queue) {
        return !queue.isEmpty() && queue.segment().owner().exhausted();
    }

    /** The process of the first page in line has all the frames that it may have: one of its own leaves first. */
    private boolean takeFromOwner(PageJob job, PageQueue queue) {
        job.begin(PageJob.Kind.TAKE_OUT);
        sweep(job, Optional.of(queue.segment().owner()));
        if (job.count > 0) {
            leave(job);
            return true;
        }
        // Those of other processes need not wait for it.
        queue.add(queue.segment(), queue.page());
        queue.remove();
        starved = true;
        return false;
    }

    private void dropDead(PageQueue queue) {
        while (!queue.isEmpty() && queue.segment().dead()) {
            queue.segment().put(queue.page(), PageEntry.NONE);
            queue.remove();
        }
    }

    /**
     * Pages that an access waits for come first. But an access may wait for a page that was requested ahead, so such a
     * page must not be overtaken indefinitely.
     */
    private boolean bringIn(PageJob job) {
        if (overtaken >= MOST_OVERTAKEN && bringIn(job, ahead)) {
            overtaken = 0;
            return true;
        }
        if (bringIn(job, wanted)) {
            overtaken = ahead.isEmpty() ? 0 : overtaken + 1;
            return true;
        }
        overtaken = 0;
        return bringIn(job, ahead);
    }

    private boolean bringIn(PageJob job, PageQueue queue) {
        if (queue.isEmpty()) {
            return false;
        }
        job.begin(PageJob.Kind.BRING_IN);
        VirtualSegment segment = queue.segment();
        long page = queue.page();
        int most = queue == wanted ? 1 : PageJob.MOST / 4;
        while (freeCount > 0
                && job.count < most
                && !atLimit(queue)
                && !queue.isEmpty()
                && queue.isAt(segment, page + job.count)) {
            int frame = free[--freeCount];
            owners[frame] = segment;
            pages[frame] = queue.page();
            kept[frame] = queue == wanted ? KEPT_FOR_ASKER : KEPT_AHEAD;
            job.add(segment, queue.page(), frame, false);
            segment.owner().use(1);
            queue.remove();
        }
        segment.inFlight(job.count);
        return true;
    }

    /**
     * Registers an access that needs all of these pages at once. With few frames several such accesses could evict each
     * other's pages indefinitely; therefore one of them has priority: its pages are not evicted before they were used.
     */
    void claim(VirtualSegment segment, long firstPage, long lastPage) {
        synchronized (lock) {
            boolean same = favoured == segment && favouredFirst == firstPage && favouredLast == lastPage;
            if (favoured == null || same) {
                favoured = segment;
                favouredFirst = firstPage;
                favouredLast = lastPage;
                favour = MOST_FAVOUR;
            }
        }
    }

    private boolean isFavoured(VirtualSegment segment, long page) {
        return segment == favoured && page >= favouredFirst && page <= favouredLast;
    }

    /**
     * At most two passes of the hand: the first clears the used bits. If all pages are kept for their accesses, the
     * page read last is evicted, unless it belongs to the access that has priority.
     */
    private void sweep(PageJob job, Optional<FrameAllowance> only) {
        int frames = owners.length;
        int youngest = -1;
        for (int steps = 0; steps < 2 * frames && job.count < batch; steps++) {
            int frame = hand;
            hand = hand + 1 == frames ? 0 : hand + 1;
            VirtualSegment segment = owners[frame];
            if (segment == null
                    || only.isPresent() && only.get() != segment.owner()
                    || !PageEntry.has(segment.entry(pages[frame]), PageEntry.VALID)) {
                continue;
            }
            if (segment.takeUsed(pages[frame])) {
                kept[frame] = 0;
            } else if (kept[frame] == 0) {
                retire(job, segment, frame);
            } else if (!isFavoured(segment, pages[frame]) && (youngest < 0 || arrived[frame] - arrived[youngest] > 0)) {
                youngest = frame;
            }
        }
        if (job.count > 0 || wanted.isEmpty() && ahead.isEmpty()) {
            return; // while no page waits for a frame, requested pages stay for their accesses
        }
        if (favoured != null && --favour == 0) {
            favoured = null; // the access is complete, or its queue pair has ended
        }
        if (youngest >= 0) {
            retire(job, Objects.requireNonNull(owners[youngest]), youngest);
            for (int frame = 0; frame < frames; frame++) {
                // The access may have ended: no page is kept indefinitely.
                kept[frame] = (byte) Math.max(0, kept[frame] - 1);
            }
        }
    }

    private void retire(PageJob job, VirtualSegment segment, int frame) {
        long last = segment.retire(pages[frame]);
        job.add(segment, pages[frame], frame, PageEntry.has(last, PageEntry.CHANGED));
        segment.inFlight(1);
    }

    private void leave(PageJob job) {
        takingOut++;
        job.waitFor(observers.epochs());
    }

    /**
     * Evicts a batch of resident pages of a range, for a swap-out or an unmapping.
     *
     * @return false if none is resident
     */
    boolean takeOut(PageJob job, VirtualSegment segment, long firstPage, long endPage) {
        synchronized (lock) {
            job.begin(PageJob.Kind.TAKE_OUT);
            for (int frame = 0; frame < owners.length && !job.isFull(); frame++) {
                if (owners[frame] == segment
                        && pages[frame] >= firstPage
                        && pages[frame] < endPage
                        && PageEntry.has(segment.entry(pages[frame]), PageEntry.VALID)) {
                    retire(job, segment, frame);
                }
            }
            if (job.count == 0) {
                return false;
            }
            leave(job);
            return true;
        }
    }

    /** Reads or writes. Blocks on files; the job is settled and no lock is held. */
    public void perform(PageJob job) {
        for (int i = 0; i < job.count; i++) {
            VirtualSegment segment = job.segment(i);
            try {
                ByteBuffer frame = pool.buffer(job.frames[i]);
                if (job.kind == PageJob.Kind.BRING_IN) {
                    segment.store().read(pool.bytesOf(job.pages[i]), frame);
                } else if (job.changed[i] && pool.bytesOf(job.pages[i]) < segment.length()) {
                    segment.store().write(pool.bytesOf(job.pages[i]), frame);
                }
            } catch (IOException | RuntimeException | Error e) {
                job.failed[i] = true;
                job.reason = segment.store().name() + ": " + e.getMessage();
            }
        }
    }

    /** Completes a job: updates the entries and notifies waiting accesses. */
    public void finish(PageJob job) {
        boolean tell;
        synchronized (lock) {
            for (int i = 0; i < job.count; i++) {
                VirtualSegment segment = job.segment(i);
                segment.inFlight(-1);
                if (job.kind == PageJob.Kind.BRING_IN) {
                    onArrived(segment, job.pages[i], job.frames[i], job.failed[i]);
                } else {
                    left(segment, job, i);
                }
                job.segments[i] = null;
            }
            tell = job.kind == PageJob.Kind.BRING_IN || !job.reason.isEmpty();
            if (job.kind == PageJob.Kind.TAKE_OUT) {
                takingOut--;
                if (!job.reason.isEmpty() && freeCount == 0) {
                    giveUpWaiting();
                }
            }
            onWork.run();
        }
        if (tell) {
            observers.pagesArrived(job.reason);
        } else {
            observers.pagesLeft();
        }
    }

    private void onArrived(VirtualSegment segment, long page, int frame, boolean failed) {
        if (failed || segment.dead()) {
            figures.failedReads += failed ? 1 : 0;
            segment.put(page, failed ? PageEntry.FAILED : PageEntry.NONE);
            release(segment, frame);
            return;
        }
        figures.pagedIn++;
        arrived[frame] = arrivals++;
        figures.pagedAhead += kept[frame] == KEPT_AHEAD ? 1 : 0;
        segment.put(page, PageEntry.of(frame, segment.writable()));
    }

    private void left(VirtualSegment segment, PageJob job, int index) {
        long page = job.pages[index];
        int frame = job.frames[index];
        boolean wantedAgain = PageEntry.has(segment.entry(page), PageEntry.WANTED);
        if (job.failed[index] && !segment.dead()) {
            // A changed page is never discarded: it stays resident, and is tried again later.
            figures.failedWrites++;
            segment.put(page, PageEntry.of(frame, segment.writable()) | PageEntry.CHANGED);
            return;
        }
        figures.evicted++;
        figures.written += job.changed[index] ? 1 : 0;
        release(segment, frame);
        if (wantedAgain && !segment.dead()) {
            segment.put(page, PageEntry.WANTED);
            wanted.add(segment, page);
        } else {
            segment.put(page, PageEntry.NONE);
        }
    }

    private void release(VirtualSegment segment, int frame) {
        segment.owner().use(-1);
        owners[frame] = null;
        free[freeCount++] = frame;
    }

    /**
     * No frame is available because nothing can be written: fails the waiting accesses, which would otherwise wait
     * indefinitely.
     */
    private void giveUpWaiting() {
        for (; !wanted.isEmpty(); wanted.remove()) {
            wanted.segment().put(wanted.page(), PageEntry.FAILED);
        }
        for (; !ahead.isEmpty(); ahead.remove()) {
            ahead.segment().put(ahead.page(), PageEntry.NONE);
        }
    }

    /** Whether frames contain pages of a segment from the given one on, or such pages are being read. */
    boolean holds(VirtualSegment segment, long firstPage) {
        synchronized (lock) {
            for (int frame = 0; frame < owners.length; frame++) {
                if (owners[frame] == segment && pages[frame] >= firstPage) {
                    return true;
                }
            }
            return false;
        }
    }

    /** A table has been removed from a segment: its changed bits are copied to the other tables. Under the lock. */
    void keepChanges(VirtualSegment segment, PageTable gone) {
        for (int frame = 0; frame < owners.length; frame++) {
            if (owners[frame] == segment
                    && PageEntry.has(gone.get(pages[frame]), PageEntry.VALID | PageEntry.CHANGED)) {
                segment.markChanged(pages[frame]);
            }
        }
    }

    // Under the lock, for figures.

    Figures figures() {
        return figures;
    }

    int freeFrames() {
        return freeCount;
    }

    int waiting() {
        return wanted.size() + ahead.size();
    }

    long resident(VirtualSegment segment) {
        long count = 0;
        for (VirtualSegment owner : owners) {
            count += owner == segment ? 1 : 0;
        }
        return count;
    }
}
