package io.verbena.storage.device;

import io.verbena.base.FreedPages;
import io.verbena.base.HugeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.LongConsumer;

/** A disk in memory that nothing outlives. */
public final class MemoryDevice implements BlockDevice {
    private final Arena arena = Arena.ofShared();
    private final Geometry geometry;
    private final MemorySegment memory;

    /** A disk of zeroes, with all its memory. */
    public MemoryDevice(long lengthBytes, int blockBytes) {
        this(lengthBytes, blockBytes, done -> {});
    }

    /**
     * The same for one that takes long to allocate.
     *
     * @param allocated receives the number of bytes that are there
     */
    public MemoryDevice(long lengthBytes, int blockBytes, LongConsumer allocated) {
        geometry = Geometry.of(lengthBytes, blockBytes);
        memory = HugeMemory.ofThisProcess().allocate(geometry.lengthBytes(), 4096, arena, allocated);
    }

    @Override
    public int blockBytes() {
        return geometry.blockBytes();
    }

    @Override
    public long blocks() {
        return geometry.blocks();
    }

    @Override
    public boolean readOnly() {
        return false;
    }

    @Override
    public boolean mayWait() {
        return false;
    }

    @Override
    public DeviceStatus read(long block, int count, MemorySegment buffer, long offset) {
        long bytes = (long) count * blockBytes();
        MemorySegment.copy(memory, block * blockBytes(), buffer, offset, bytes);
        return DeviceStatus.DONE;
    }

    @Override
    public DeviceStatus write(long block, int count, MemorySegment buffer, long offset, boolean durable) {
        long bytes = (long) count * blockBytes();
        MemorySegment.copy(buffer, offset, memory, block * blockBytes(), bytes);
        return DeviceStatus.DONE;
    }

    @Override
    public DeviceStatus writeZeroes(long block, int count, boolean durable) {
        return deallocate(block, count);
    }

    @Override
    public boolean deallocates() {
        return true;
    }

    @Override
    public DeviceStatus deallocate(long block, long count) {
        long at = block * blockBytes();
        long bytes = count * blockBytes();
        if (!FreedPages.OF_MEMORY.zero(memory, at, bytes)) {
            memory.asSlice(at, bytes)
                    .fill((byte) 0); // the system cannot be called: the blocks are zeros, and keep their memory
        }
        return DeviceStatus.DONE;
    }

    @Override
    public DeviceStatus flush() {
        return DeviceStatus.DONE;
    }

    @Override
    public void close() {
        arena.close();
    }
}
