package io.verbena.host.engine;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/** An engine that runs commands and has one timer, in place of the engine of an RNIC. */
@SuppressWarnings("NonAtomicVolatileUpdate") // only the engine's thread changes it
public final class FakeEngine implements Driven {

    /** A thread that sees no time pass for this long had no processor. */
    private static final long SWITCHED_NS = 1_000_000;

    private final ConcurrentLinkedQueue<Runnable> commands = new ConcurrentLinkedQueue<>();

    /** Work without an object: the number of bells rung. */
    public final AtomicLong rung = new AtomicLong();

    public volatile long heard;
    public volatile int turns;
    volatile long turnedAtNs;
    volatile long deadlineNs = NEVER;
    volatile long firedAtNs;

    /** Whether it continues after a failure. */
    volatile Predicate<Throwable> onFailure = cause -> false;

    @Override
    public boolean onFailure(Throwable cause) {
        return onFailure.test(cause);
    }

    public void submit(Runnable command) {
        commands.add(command);
    }

    @Override
    public int turn(long nowNs) {
        turns++;
        turnedAtNs = nowNs;
        int work = 0;
        Runnable command;
        while ((command = commands.poll()) != null) {
            command.run();
            work++;
        }
        long bells = rung.get();
        if (bells != heard) {
            heard = bells;
            work++;
        }
        if (deadlineNs != NEVER && nowNs - deadlineNs >= 0) {
            deadlineNs = NEVER;
            firedAtNs = nowNs;
            work++;
        }
        return work;
    }

    /** Returns how long the calling thread has run until this engine heard a ring: a machine that does other things keeps threads waiting. */
    long spinUntilHeard(long rung) {
        long spunNs = 0;
        long beforeNs = System.nanoTime();
        while (heard < rung) {
            Thread.onSpinWait();
            long nowNs = System.nanoTime();
            if (nowNs - beforeNs < SWITCHED_NS) {
                spunNs += nowNs - beforeNs;
            }
            beforeNs = nowNs;
        }
        return spunNs;
    }

    @Override
    public boolean hasWork() {
        return !commands.isEmpty() || rung.get() != heard;
    }

    @Override
    public long nextDeadlineNs() {
        return deadlineNs;
    }
}
