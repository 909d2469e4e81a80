package io.verbena.memory.vmm;

import io.verbena.base.HugeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** Physical memory of a VMM: page frames off the heap, aligned to their size as direct I/O requires. */
final class FramePool {

    private static final long WINDOW_BYTES = 1L << 30;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    private final int pageShift;
    private final int frames;
    private final ByteBuffer[] windows;

    FramePool(long bytes, int pageShift) {
        this.pageShift = pageShift;
        frames = Math.toIntExact(bytes >>> pageShift);
        long pageBytes = 1L << pageShift;
        memory = HugeMemory.ofThisProcess().reserve(frames * pageBytes, Math.max(4096, pageBytes), arena);
        windows = new ByteBuffer[(int) ((memory.byteSize() + WINDOW_BYTES - 1) / WINDOW_BYTES)];
        for (int i = 0; i < windows.length; i++) {
            long from = i * WINDOW_BYTES;
            windows[i] = memory.asSlice(from, Math.min(WINDOW_BYTES, memory.byteSize() - from))
                    .asByteBuffer();
        }
    }

    int frames() {
        return frames;
    }

    /** The binary logarithm of the size of a page. */
    int pageShift() {
        return pageShift;
    }

    long pagesOf(long bytes) {
        return AddressLayout.pagesOf(bytes, pageShift);
    }

    long bytesOf(long pages) {
        return pages << pageShift;
    }

    MemorySegment memory() {
        return memory;
    }

    /** The offset of a frame. */
    long offset(int frame) {
        return (long) frame << pageShift;
    }

    /** A frame as a buffer, for I/O. */
    ByteBuffer buffer(int frame) {
        long offset = offset(frame);
        return windows[(int) (offset / WINDOW_BYTES)].slice((int) (offset % WINDOW_BYTES), 1 << pageShift);
    }

    void close() {
        arena.close();
    }
}
