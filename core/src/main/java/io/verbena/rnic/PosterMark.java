package io.verbena.rnic;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Detects, when assertions are enabled, that two threads post to one queue at the same time. */
final class PosterMark {

    private static final VarHandle POSTING;

    static {
        try {
            POSTING = MethodHandles.lookup().findVarHandle(PosterMark.class, "posting", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("UnusedVariable") // through POSTING
    private volatile boolean posting;

    /** For use in an assertion: returns true or throws. */
    boolean begin() {
        if (!POSTING.compareAndSet(this, false, true)) {
            throw new IllegalStateException(
                    "two threads post to one queue at the same time; only one thread at a time may post");
        }
        return true;
    }

    /** For use in an assertion: returns true. */
    boolean end() {
        posting = false;
        return true;
    }
}
