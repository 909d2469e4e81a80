package io.verbena.sockets.stream;

import java.util.concurrent.atomic.AtomicLong;

/** The memory that buffers of all sockets may use beyond their first size. */
final class Budget {

    private final AtomicLong left;

    Budget(long bytes) {
        left = new AtomicLong(bytes);
    }

    /** Takes bytes; returns false if there are not enough. */
    boolean take(long bytes) {
        long before = left.get();
        while (before >= bytes) {
            if (left.compareAndSet(before, before - bytes)) {
                return true;
            }
            before = left.get();
        }
        return false;
    }

    void giveBack(long bytes) {
        left.addAndGet(bytes);
    }
}
