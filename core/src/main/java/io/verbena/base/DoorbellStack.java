package io.verbena.base;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Doorbells that any thread rings and one thread processes: an intrusive stack, so that ringing does not allocate. A
 * bell that is rung again before it was processed is in the stack once.
 *
 * <p>Memory order: a ringer writes its work, then sets the mark. The processing thread takes the bell, clears its mark, and
 * only then reads the work. Both are exchanges, which always write: if the ringer finds the mark set, the exchange that
 * clears it comes later, reads what the ringer wrote, and the work before that is visible. A compare-and-set would not do:
 * one that fails orders as a read does, and code of C1 and of the interpreter does not even execute a locked instruction
 * for it.
 */
public final class DoorbellStack {

    /** An element of the stack; extended by objects that have work. */
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

        @SuppressWarnings("UnusedVariable") // accessed through RUNG
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

    /**
     * Rings a bell. Returns true if the bell was not in the stack, so that the processing thread may have to be woken.
     */
    public boolean ring(Bell bell) {
        if ((boolean) Bell.RUNG.getAndSet(bell, true)) {
            return false;
        }
        Bell seen;
        do {
            seen = top;
            bell.next = seen;
        } while (!TOP.compareAndSet(this, seen, bell));
        return true;
    }

    /** Whether the stack is empty. */
    public boolean isEmpty() {
        return top == null;
    }

    /** Removes all bells and returns them as a chain for {@link #next}, latest first. */
    public @Nullable Bell takeAll() {
        return top == null ? null : (Bell) TOP.getAndSet(this, null);
    }

    /**
     * Returns the bell after this one in a removed chain and clears the mark of this one. Read the work of this one
     * afterwards.
     */
    public static @Nullable Bell next(Bell bell) {
        Bell next = bell.next;
        bell.next = null;
        Bell.RUNG.getAndSet(bell, false);
        return next;
    }
}
