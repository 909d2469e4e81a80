package io.verbena.storage.client;

import io.verbena.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;

/** Memory from which and into which a target transfers blocks, without a copy on this side. */
public final class DiskMemory implements AutoCloseable {
    private final DiskMemories memories;
    private final MemoryRegion region;
    private final int number;
    private final AtomicInteger operations = new AtomicInteger();

    DiskMemory(DiskMemories memories, MemoryRegion region, int number) {
        this.memories = memories;
        this.region = region;
        this.number = number;
    }

    /** The memory. While an operation is under way, the target may change what it reads into. */
    public MemorySegment segment() {
        return region.segment();
    }

    MemoryRegion region() {
        return region;
    }

    int number() {
        return number;
    }

    boolean of(DiskMemories candidate) {
        return memories == candidate;
    }

    void use() {
        if (operations.getAndIncrement() < 0) {
            operations.getAndDecrement();
            throw new IllegalStateException("The memory of this operation is closed.");
        }
    }

    void release() {
        operations.getAndDecrement();
    }

    /**
     * Frees the memory.
     *
     * @throws IllegalStateException if an operation uses it
     */
    @Override
    public void close() {
        if (operations.get() < 0) {
            return;
        }
        if (!operations.compareAndSet(0, Integer.MIN_VALUE / 2)) {
            throw new IllegalStateException("An operation uses this memory; close it after the operation has ended.");
        }
        memories.forget(this);
        region.close();
    }
}
