package io.verbena.spark;

import io.verbena.verbs.MemoryRegion;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * Delivers the blocks of a fetch that are read into one region, each as soon as its bytes are there, so that a task
 * works on the first ones while the others arrive. If the connection ends before, those that are left are fetched
 * again.
 */
final class Delivery implements Reading.Outcome {

    private final Fetch fetch;
    private final List<RangeBuffer> blocks;
    private final Runnable onRead;
    private final BiConsumer<Fetch, Throwable> again;

    // Guarded by this: the first block that was not delivered, and its offset in the region.
    private int next;
    private long position;

    /**
     * Delivers blocks.
     *
     * @param fetch what they belong to
     * @param region where they are read, one after the other; the pool gets it back when all are released
     * @param lengths of the blocks
     * @param onRead called when all of them were read, or none will be any more
     * @param again fetches blocks again
     */
    Delivery(
            Fetch fetch,
            MemoryRegion region,
            long[] lengths,
            RegionPool pool,
            Runnable onRead,
            BiConsumer<Fetch, Throwable> again) {
        this.fetch = fetch;
        this.onRead = onRead;
        this.again = again;
        blocks = RangeBuffer.of(region, lengths, pool);
    }

    @Override
    public void arrived(long bytes) {
        int first;
        int end;
        synchronized (this) {
            first = next;
            while (next < blocks.size() && position + blocks.get(next).size() <= bytes) {
                position += blocks.get(next).size();
                next++;
            }
            end = next;
        }
        fetch.delivered(first, blocks.subList(first, end));
    }

    @Override
    public void ended(Optional<Throwable> failure) {
        onRead.run();
        if (failure.isEmpty()) {
            arrived(Long.MAX_VALUE);
            return;
        }
        int first;
        synchronized (this) {
            first = next;
            next = blocks.size();
        }
        blocks.subList(first, blocks.size()).forEach(RangeBuffer::release);
        if (first < blocks.size()) {
            again.accept(fetch.from(first), failure.orElseThrow());
        }
    }
}
