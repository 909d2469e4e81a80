package io.verbena.memory;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Counts the heap bytes that an action costs. */
final class Allocation {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Allocation() {}

    /** Heap bytes that {@code rounds} rounds cost this thread, after as many to warm up. */
    static long bytesOf(int rounds, Runnable action) {
        for (int i = 0; i < rounds; i++) {
            action.run();
        }
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < rounds; i++) {
            action.run();
        }
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }
}
