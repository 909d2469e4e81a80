package io.verbena.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Shows other threads whether an engine may be accessing memory: a word that is odd while the engine is inside a turn.
 * One per engine.
 *
 * <p><b>Correctness.</b> A revoker (R) removes memory while an engine (E) may be using it:
 *
 * <pre>
 *   R1  key := invalid            E1  word := odd          (enter)
 *   R2  full fence                E2  full fence
 *   R3  read word                 E3  read key
 *                                 E4  access memory
 *                                 E5  word := even         (leave, release)
 * </pre>
 *
 * <p>This is Dekker's pattern: each side stores, fences, then loads what the other side stored. One of the two full
 * fences precedes the other. If R2 does, then E3 sees the invalid key, and E4 does not happen. If E2 does, then R3 sees
 * the odd word (or a later value), and R waits until the word has changed. So it is impossible that R sees the engine
 * outside and the engine sees the key valid. A word that changed after R3 means that the turn seen by R has ended; the
 * next turn of the engine enters after R2, so it sees the invalid key. E5 is a release and the read of R an acquire, so
 * the effects of E4 are visible to R and to the next user of the memory. A release at E1 would be insufficient: a
 * processor may reorder the load E3 before the store E1.
 *
 * <p>The result of a check is therefore valid until {@link #leave()} only: an engine checks again in each turn. Turns
 * are short (a byte budget), so revocations are short too.
 *
 * <p>The word is in the middle of an array of its own, two cache lines from other data, so that engines that enter and
 * leave do not share a cache line. At a billion turns per second it takes 292 years to wrap.
 */
@SuppressWarnings("ReferenceEquality") // threads have identity
public final class EngineEpoch {

    private static final int PADDED = 32;
    private static final int AT = 16;
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] word = new long[PADDED];

    /**
     * The thread that entered last. Written before the word becomes odd, and only if it changes, so that the cache line
     * stays clean.
     */
    private @Nullable Thread owner;

    /** Starts a turn: results of checks are valid until {@link #leave}. One thread at a time; turns do not nest. */
    public void enter() {
        Thread current = Thread.currentThread();
        if (owner != current) {
            owner = current;
        }
        long now = (long) WORD.get(word, AT);
        assert (now & 1) == 0 : "this engine is already inside a turn";
        WORD.setRelease(word, AT, now + 1);
        VarHandle.fullFence();
    }

    /** Ends the turn: no memory is accessed after this point. */
    public void leave() {
        long now = (long) WORD.get(word, AT);
        assert (now & 1) == 1 : "this engine is not inside a turn";
        WORD.setRelease(word, AT, now + 1);
    }

    /** The current word: odd while the engine is inside a turn. Fence first ({@link Revocation} does). */
    public long observe() {
        return (long) WORD.getAcquire(word, AT);
    }

    /** Whether the engine was outside when {@code observed} was read, or has been since. */
    public boolean hasPassed(long observed) {
        return (observed & 1) == 0 || observe() != observed;
    }

    /** Whether the current thread is inside a turn of this engine. */
    public boolean insideOnThisThread() {
        // A thread that reads an odd word also sees its owner, which was written before.
        return (observe() & 1) == 1 && owner == Thread.currentThread();
    }
}
