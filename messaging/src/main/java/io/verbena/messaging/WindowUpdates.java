package io.verbena.messaging;

import io.verbena.messaging.collective.ElementType;
import io.verbena.messaging.collective.PredefinedReduction;
import io.verbena.messaging.collective.Reduction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Accumulating calls on a window. Elements of 64-bit integers are updated by atomic operations of the RNIC, all others by a Read and a Write under
 * the lock of accumulating calls. So all calls on an element of one type exclude each other.
 */
final class WindowUpdates {

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final int KEPT_BYTES = 64 << 10;

    private final Window window;
    private final WindowLocks locks;
    private MemorySegment scratch = MemorySegment.NULL;

    WindowUpdates(Window window, WindowLocks locks) {
        this.window = window;
        this.locks = locks;
    }

    /** Elements of the window become {@code origin op window}; a buffer that is not empty gets them as they were. */
    void combine(MemorySegment origin, MemorySegment before, int rank, long at, ElementType type, Reduction reduction) {
        if (!reduction.accepts(type)) {
            throw new IllegalArgumentException(reduction.title() + " does not combine elements of the type " + type);
        }
        if (origin.byteSize() == 0) {
            return;
        }
        if (isWord(type, rank, at)) {
            combineWords(origin, before, rank, at, reduction);
        } else {
            combineLocked(origin, before, rank, at, type, reduction);
        }
    }

    /** Returns whether elements can be changed by atomic operations. */
    private boolean isWord(ElementType type, int rank, long at) {
        if (type != ElementType.LONG) {
            return false;
        }
        WindowTarget target = window.target(rank);
        long address = target == null ? window.memory().address() + at : target.address(at);
        return address % Long.BYTES == 0;
    }

    private void combineWords(MemorySegment origin, MemorySegment before, int rank, long at, Reduction reduction) {
        for (long i = 0; i < origin.byteSize(); i += Long.BYTES) {
            long operand = origin.get(LONG, i);
            long found = reduction == PredefinedReduction.SUM || reduction == Window.NO_OP
                    ? locks.add(rank, WindowLocks.Part.MEMORY, at + i, reduction == Window.NO_OP ? 0 : operand)
                    : update(origin, i, rank, at + i, reduction);
            if (before.byteSize() > 0) {
                before.set(LONG, i, found);
            }
        }
    }

    /** Repeats until no other rank changes the word in between. */
    private long update(MemorySegment origin, long offset, int rank, long at, Reduction reduction) {
        MemorySegment result = scratch(Long.BYTES);
        long seen = locks.add(rank, WindowLocks.Part.MEMORY, at, 0);
        while (true) {
            result.set(LONG, 0, seen);
            reduction.apply(origin, offset, result, 0, Long.BYTES, ElementType.LONG);
            long found = locks.swap(rank, WindowLocks.Part.MEMORY, at, seen, result.get(LONG, 0));
            if (found == seen) {
                return seen;
            }
            seen = found;
        }
    }

    private void combineLocked(
            MemorySegment origin, MemorySegment before, int rank, long at, ElementType type, Reduction reduction) {
        long bytes = origin.byteSize();
        MemorySegment result = scratch(bytes);
        long amount = locks.takeUpdates(rank);
        try {
            read(result, rank, at, bytes);
            if (before.byteSize() > 0) {
                MemorySegment.copy(result, 0, before, 0, bytes);
            }
            if (reduction != Window.NO_OP) {
                reduction.apply(origin, 0, result, 0, bytes, type);
                write(result, rank, at, bytes);
            }
        } finally {
            locks.release(rank, amount);
        }
    }

    void compareAndSwap(
            MemorySegment origin, MemorySegment expected, MemorySegment before, int rank, long at, ElementType type) {
        if (isWord(type, rank, at)) {
            before.set(
                    LONG, 0, locks.swap(rank, WindowLocks.Part.MEMORY, at, expected.get(LONG, 0), origin.get(LONG, 0)));
            return;
        }
        int bytes = type.bytes();
        long amount = locks.takeUpdates(rank);
        try {
            MemorySegment found = scratch(bytes);
            read(found, rank, at, bytes);
            if (MemorySegment.mismatch(found, 0, bytes, expected, 0, bytes) < 0) {
                MemorySegment.copy(found, 0, before, 0, bytes);
                MemorySegment.copy(origin, 0, found, 0, bytes);
                write(found, rank, at, bytes);
            } else {
                MemorySegment.copy(found, 0, before, 0, bytes);
            }
        } finally {
            locks.release(rank, amount);
        }
    }

    private void read(MemorySegment into, int rank, long at, long bytes) {
        WindowTarget target = window.target(rank);
        if (target == null) {
            MemorySegment.copy(window.memory(), at, into, 0, bytes);
        } else {
            window.startGet(target, into, 0, bytes, at);
            window.complete(target);
        }
    }

    /** The bytes are placed before the lock is released: the release follows them. */
    private void write(MemorySegment from, int rank, long at, long bytes) {
        WindowTarget target = window.target(rank);
        if (target == null) {
            MemorySegment.copy(from, 0, window.memory(), at, bytes);
        } else {
            window.startPut(target, from, 0, bytes, at);
        }
    }

    private MemorySegment scratch(long bytes) {
        if (bytes > KEPT_BYTES) {
            return Arena.ofAuto().allocate(bytes, Long.BYTES);
        }
        if (scratch.byteSize() == 0) {
            scratch = Arena.ofAuto().allocate(KEPT_BYTES, Long.BYTES);
        }
        return scratch;
    }
}
