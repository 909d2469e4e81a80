package io.verbena.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Bells rung by any thread and heard by one: an intrusive stack, so that ringing allocates nothing. A bell that is rung
 * again before it was heard is in the stack once.
 *
 * <p>The order of memory: a ringer writes its work, then rings (a compare-and-set). The listener takes the bell, clears its
 * mark, and only then looks for work. So work written before a ring that found the mark set is still seen.
 */
public final class DoorbellStack {

    /** Something that can be rung; extended by what has work. */
    public abstract static class Bell {
        private static final VarHandle RUNG;

        static {
            try {
                RUNG = MethodHandles.lookup().findVarHandle(Bell.class, "rung", boolean.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private @Nullable Bell next;

        @SuppressWarnings("UnusedVariable") // through RUNG
        private volatile boolean rung;
    }

    private static final VarHandle TOP;

    static {
        try {
            TOP = MethodHandles.lookup().findVarHandle(DoorbellStack.class, "top", Bell.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile @Nullable Bell top;

    /** Rings a bell; true if it was not in the stack already, so that the listener may have to be woken. */
    public boolean ring(Bell bell) {
        if (!Bell.RUNG.compareAndSet(bell, false, true)) {
            return false;
        }
        Bell seen;
        do {
            seen = top;
            bell.next = seen;
        } while (!TOP.compareAndSet(this, seen, bell));
        return true;
    }

    /** Whether nothing was rung. */
    public boolean isEmpty() {
        return top == null;
    }

    /** Takes all bells, as a chain for {@link #next}. They come latest first. */
    public @Nullable Bell takeAll() {
        return top == null ? null : (Bell) TOP.getAndSet(this, null);
    }

    /** Steps to the next of a taken chain and clears the mark of this one: what it has to do is looked for after this. */
    public static @Nullable Bell next(Bell bell) {
        Bell next = bell.next;
        bell.next = null;
        bell.rung = false;
        VarHandle.fullFence();
        return next;
    }
}
