package io.verbena.rnic;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Finds out, when assertions are on, that two threads post to one queue at once. */
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

    /** For use in an assert: true, or an exception. */
    boolean begin() {
        if (!POSTING.compareAndSet(this, false, true)) {
            throw new IllegalStateException("two threads post to one queue at the same time; one at a time may");
        }
        return true;
    }

    /** For use in an assert: true. */
    boolean end() {
        posting = false;
        return true;
    }
}
