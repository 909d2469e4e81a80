package io.verbena.tools.base;

import java.util.function.LongConsumer;

/**
 * Divides virtual time into slices that take a few hundredths of a second each, so that a request to stop is noticed soon in fabrics of any
 * size. The division depends on the speed of the machine; what happens in virtual time does not.
 */
public final class Slices {

    private static final long LONG_NS = 60_000_000;
    private static final long SHORT_NS = 15_000_000;

    private final StopSignal stop;
    private long size;

    /** Begins with slices of a size. */
    public Slices(StopSignal stop, long first) {
        this.stop = stop;
        size = Math.max(1, first);
    }

    /**
     * Lets a time pass.
     *
     * @throws StopSignal.Stopped if the user requested the end
     */
    public void pass(long time, LongConsumer step) {
        for (long left = time; left > 0; ) {
            stop.check();
            long slice = Math.min(left, size);
            long startNs = System.nanoTime();
            step.accept(slice);
            took(System.nanoTime() - startNs);
            left -= slice;
        }
        stop.check();
    }

    /** The time that the next slice lets pass. */
    public long size() {
        return size;
    }

    /** Adapts the size to the time that the last slice took. */
    public void took(long ns) {
        if (ns > LONG_NS) {
            size = Math.max(1, size / 4);
        } else if (ns < SHORT_NS) {
            size = Math.min(Long.MAX_VALUE / 4, size * 2);
        }
    }
}
