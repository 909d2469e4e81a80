package io.verbena.sockets.stream;

import io.verbena.verbs.Rnic;
import io.verbena.verbs.WaitInterruptedException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The waits of all threads for the sockets of one RNIC. One of them, a platform thread, borrows the engine and drives it while
 * it waits ({@link Rnic#progress(Duration)}), so that a message for it costs no change of threads; the others park, and the one
 * that drives wakes them. While no thread waits, the engine thread of the RNIC works.
 *
 * <pre>{@code
 * driver.enter();
 * try {
 *     while (!condition) {
 *         driver.pause(this, leftNs);
 *     }
 * } finally {
 *     driver.leave();
 * }
 * }</pre>
 *
 * <p><b>No wait misses its signal.</b> The waiting thread becomes the one that drives and then looks at the condition; the thread
 * that changes the condition does so first and then looks which thread drives (all volatile). A wake-up of the RNIC that finds no
 * wait ends the next one.
 *
 * <p><b>Which thread drives.</b> The one that comes first; but one that has waited for a while in vain makes way, so that a thread
 * with much traffic does not park because an idle one came before it.
 *
 * <p><b>A thread that polls</b> ({@link #poll}) drives the engine with each poll, and threads that wait park meanwhile: they would take the
 * engine from it, and it from them, with each message. If it polls no longer, the engine thread continues within a millisecond, and the next
 * thread that waits drives again.
 */
public final class EngineDriver {

    private static final VarHandle DRIVING;

    static {
        try {
            DRIVING = MethodHandles.lookup().findVarHandle(EngineDriver.class, "driving", Thread.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** A thread that has waited for so long in vain makes way for another one. */
    static final long IDLE_NS = 1_000_000;

    /** A thread that polls takes the place of one that has waited for so long. */
    private static final long POLLED_NS = 50_000;

    private static final int LONGEST = 30;

    /** The longest waits, in powers of two: a wait allocates nothing, and a shorter one than asked for is allowed. */
    private static final Duration[] WAITS = IntStream.rangeClosed(0, LONGEST)
            .mapToObj(power -> Duration.ofNanos(1L << power))
            .toArray(Duration[]::new);

    private final Rnic rnic;
    private final BooleanSupplier inUse;
    private final LongSupplier clock;
    private volatile @Nullable Thread driving;

    /** When the thread that drives has begun to wait. */
    private volatile long sinceNs;

    /** When a thread has polled last. */
    private volatile long polledNs;

    /** For the sockets of this RNIC; {@code inUse} is true while there are any. */
    EngineDriver(Rnic rnic, BooleanSupplier inUse) {
        this(rnic, inUse, System::nanoTime);
    }

    EngineDriver(Rnic rnic, BooleanSupplier inUse, LongSupplier clock) {
        this.rnic = rnic;
        this.inUse = inUse;
        this.clock = clock;
        polledNs = clock.getAsLong() - IDLE_NS;
    }

    /** Whether there is anything to wait for, and the calling thread can drive the engine. */
    public boolean inUse() {
        return inUse.getAsBoolean() && !Thread.currentThread().isVirtual();
    }

    /** The calling thread begins to wait, and looks at its condition after that. Returns whether it drives the engine. */
    public boolean enter() {
        Thread self = Thread.currentThread();
        if (self.isVirtual()) {
            return false; // its carrier serves others
        }
        long nowNs = clock.getAsLong();
        return nowNs - polledNs >= IDLE_NS && take(self, nowNs, IDLE_NS);
    }

    /** Takes the place of the thread that drives, if it has waited for this time. */
    private boolean take(Thread self, long nowNs, long idleNs) {
        Thread driver = driving;
        if (driver == null) {
            if (!DRIVING.compareAndSet(this, null, self)) {
                return false;
            }
            sinceNs = nowNs;
            return true;
        }
        if (nowNs - sinceNs < idleNs || !DRIVING.compareAndSet(this, driver, self)) {
            return false;
        }
        sinceNs = nowNs;
        rnic.wakeup(); // the other thread parks
        return true;
    }

    /** Waits for a signal of {@link #wake}. May return earlier; an interrupt ends the wait and remains set. */
    public void pause(Object blocker, long timeoutNs) {
        if (driving == Thread.currentThread()) {
            drive(timeoutNs);
        } else {
            LockSupport.parkNanos(blocker, timeoutNs);
        }
    }

    private void drive(long timeoutNs) {
        int power = Long.SIZE - 1 - Long.numberOfLeadingZeros(Math.max(1, timeoutNs));
        try {
            rnic.progress(WAITS[Math.min(power, LONGEST)]);
        } catch (WaitInterruptedException _) {
            return; // the caller looks at the status
        }
    }

    /** The calling thread waits no longer. */
    public void leave() {
        if (driving == Thread.currentThread()) {
            DRIVING.compareAndSet(this, Thread.currentThread(), null);
        }
    }

    /** What this thread waits for has perhaps come. */
    public void wake(@Nullable Thread waiting) {
        if (waiting == null || waiting == Thread.currentThread()) {
            return; // a thread that drives looks at its condition after each round
        }
        if (driving == waiting) {
            rnic.wakeup();
        }
        LockSupport.unpark(waiting); // also then: another thread may have taken its place meanwhile
    }

    /** The calling thread, which has polled, waits elsewhere: the engine thread continues at once. */
    public void release() {
        rnic.release();
    }

    /** For a thread that polls: drives the engine once, so that the engine thread needs no processor beside it. */
    public void poll() {
        long nowNs = clock.getAsLong();
        polledNs = nowNs;
        if (driving == null) {
            rnic.progress(Duration.ZERO); // it does not wait, so that no other thread has to know
        } else if (take(Thread.currentThread(), nowNs, POLLED_NS)) {
            try {
                rnic.progress(Duration.ZERO);
            } finally {
                leave();
            }
        }
    }
}
