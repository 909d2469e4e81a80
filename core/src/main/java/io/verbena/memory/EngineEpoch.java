package io.verbena.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Tells others when an engine is touching memory: a word that is odd while the engine is inside a turn. One an engine.
 *
 * <p><b>The argument.</b> Somebody takes memory away (R) while an engine (E) may be using it:
 *
 * <pre>
 *   R1  key := invalid            E1  word := odd          (enter)
 *   R2  full fence                E2  full fence
 *   R3  read word                 E3  read key
 *                                 E4  touch memory
 *                                 E5  word := even         (leave, release)
 * </pre>
 *
 * <p>This is Dekker's pattern: each side stores, fences, then loads what the other stored. Of two full fences one comes
 * first. If R2 does, then E3 sees the invalid key, and E4 does not happen. If E2 does, then R3 sees the odd word (or a
 * later one), and R waits until the word has changed. So never both: R seeing the engine outside, and the engine
 * seeing the key valid. A word that changed after R3 means that the turn which R saw is over; the engine's next turn
 * enters after R2, so it sees the invalid key. E5 is a release and R's read an acquire, so whatever E4 did is done,
 * for R and for whoever gets the memory next. A release alone at E1 would not do: a processor may let the load E3
 * pass the store E1.
 *
 * <p>The result of a check therefore holds until {@link #leave()} and no longer: an engine checks again in each turn.
 * Turns are short (a byte budget), so a revocation is too.
 *
 * <p>The word sits in the middle of an array of its own, two cache lines from anything else, so that engines which
 * enter and leave all the time do not share a line. It counts; at a billion turns a second it takes 292 years to
 * wrap.
 */
@SuppressWarnings("ReferenceEquality") // A thread is itself.
public final class EngineEpoch {

    private static final int PADDED = 32;
    private static final int AT = 16;
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] word = new long[PADDED];

    /** Who entered last. Written before the word is odd, and only when it changes: the line stays clean. */
    private @Nullable Thread owner;

    /** Starts a turn: results of checks hold until {@link #leave}. One thread at a time; turns do not nest. */
    public void enter() {
        Thread current = Thread.currentThread();
        if (owner != current) {
            owner = current;
        }
        long now = (long) WORD.get(word, AT);
        assert (now & 1) == 0 : "a turn of this engine has begun already";
        WORD.setRelease(word, AT, now + 1);
        VarHandle.fullFence();
    }

    /** Ends the turn: no memory is touched from here on. */
    public void leave() {
        long now = (long) WORD.get(word, AT);
        assert (now & 1) == 1 : "no turn of this engine has begun";
        WORD.setRelease(word, AT, now + 1);
    }

    /** The word as it is: odd while the engine is inside. Fence first ({@link Revocation} does). */
    public long observe() {
        return (long) WORD.getAcquire(word, AT);
    }

    /** Whether the engine was outside when {@code observed} was read, or has been since. */
    public boolean hasPassed(long observed) {
        return (observed & 1) == 0 || observe() != observed;
    }

    /** Whether this thread is inside a turn of this engine now. */
    public boolean insideOnThisThread() {
        // The owner of an odd word is visible to whoever reads that word: it was written before.
        return (observe() & 1) == 1 && owner == Thread.currentThread();
    }
}
