package io.verbena.port.faults;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Paths on which a port loses every packet that it sends, by number, 0 to 63. Any thread may change them at any time.
 */
public final class PathCuts {

    /** No path is cut, and none will be. */
    public static final PathCuts NONE = new PathCuts();

    private final AtomicLong cut = new AtomicLong();

    /** Packets on this path are lost from now on. */
    public void cut(int path) {
        if (this == NONE) {
            throw new UnsupportedOperationException("PathCuts.NONE is shared: create an object");
        }
        cut.accumulateAndGet(bit(path), (all, one) -> all | one);
    }

    /** Packets on this path arrive again. */
    public void mend(int path) {
        cut.accumulateAndGet(bit(path), (all, one) -> all & ~one);
    }

    /** Whether any path is cut. */
    boolean any() {
        return cut.get() != 0;
    }

    /** Whether packets with this entropy are lost. */
    boolean isCut(int entropy) {
        return entropy < Long.SIZE && (cut.get() & 1L << entropy) != 0;
    }

    private static long bit(int path) {
        if (path < 0 || path >= Long.SIZE) {
            throw new IllegalArgumentException("the path must be 0 to 63, not " + path);
        }
        return 1L << path;
    }
}
