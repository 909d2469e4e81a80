package io.verbena.host;

import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * All INLINE engines of one thread. A wait for one of them drives all of them, so two endpoints in one thread cannot
 * block each other.
 *
 * <p>Only its thread drives a group. Other threads may remove drivers (by adopting them), so the array is copied on
 * write and each driver has its owner.
 */
final class ProgressGroup {

    private static final ThreadLocal<@Nullable ProgressGroup> OF_THREAD = new ThreadLocal<>();

    /** Time that a wait spins before it waits in the system: long, because INLINE is meant for low latency. */
    private static final long SPIN_NS = 200_000;

    /** After this time the processor is yielded between polls. */
    private static final long POLITE_AFTER_NS = 20_000;

    /** Longest single wait in a selector: what no selector sees (another thread's signal) waits no longer than this. */
    private static final long DOZE_NS = 10_000_000;

    private static final long SHORT_DOZE_NS = 1_000_000;

    /** A program with more time than this between its polls computes: its polls do not occupy a processor. */
    private static final long RARE_LOOK_NS = 20_000;

    private static final long VIRTUAL_PARK_NS = 50_000;
    private static final int MOST_REPEATS = 8;

    private volatile InlineDriver[] drivers = {};
    private boolean driving;
    private boolean again;
    private boolean handling;
    private int nextToDoze;

    /** Whether the last polls found nothing, since when, and the time of the last one. */
    private boolean looking;

    private long lookingSinceNs;
    private long lookedAtNs;

    /** The group of the calling thread. */
    static ProgressGroup current() {
        ProgressGroup group = OF_THREAD.get();
        if (group == null) {
            group = new ProgressGroup();
            OF_THREAD.set(group);
        }
        return group;
    }

    /**
     * Waits for a condition that an engine thread will satisfy, if the calling thread has INLINE engines, which it
     * drives meanwhile: the peer that it waits for may be among them.
     *
     * @return whether the calling thread has INLINE engines and waited in this way; {@code condition} shows the result
     */
    static boolean awaitedInline(BooleanSupplier condition, long timeoutNs, boolean interruptible) {
        ProgressGroup group = OF_THREAD.get();
        if (group == null || group.drivers.length == 0) {
            return false;
        }
        group.await(condition, timeoutNs, interruptible);
        return true;
    }

    synchronized void add(InlineDriver driver) {
        InlineDriver[] more = Arrays.copyOf(drivers, drivers.length + 1);
        more[drivers.length] = driver;
        drivers = more;
    }

    synchronized void remove(InlineDriver driver) {
        drivers = Arrays.stream(drivers).filter(other -> other != driver).toArray(InlineDriver[]::new);
    }

    /** Whether the calling thread, the owner of this group, is inside a turn. */
    boolean driving() {
        return driving;
    }

    /**
     * Drives every engine, again if a turn rang a doorbell of another engine, then runs handlers. Returns a measure of
     * work.
     */
    int drive() {
        if (driving) {
            again = true;
            return 0;
        }
        int work = 0;
        driving = true;
        try {
            int repeats = 0;
            do {
                again = false;
                for (InlineDriver driver : drivers) {
                    work += driver.round();
                }
            } while (again && ++repeats < MOST_REPEATS);
        } finally {
            driving = false;
        }
        return work + runHandlers();
    }

    /** Drives every engine; if none has anything to do, waits interruptibly until one has, at most this long. */
    int drive(long timeoutNs) {
        int work = drive();
        if (work > 0 || driving) {
            return work;
        }
        long startNs = System.nanoTime();
        long nowNs = startNs;
        while (work == 0 && nowNs - startNs < timeoutNs) {
            Threads.interrupted(true);
            idle(nowNs - startNs, timeoutNs - (nowNs - startNs), nowNs);
            work = drive();
            nowNs = System.nanoTime();
        }
        return work;
    }

    /**
     * One poll of a program that polls repeatedly. If its polls found nothing for a while, the processor is yielded, as
     * in a wait, because the peer may need it. If more threads compute than there are processors, the second poll in a row that finds
     * nothing sleeps: the peer may be waiting for this processor.
     */
    int look() {
        // What a turn takes is not the program's time, and can be long on a busy machine.
        boolean repeated = looking && System.nanoTime() - lookedAtNs <= RARE_LOOK_NS;
        int work = drive();
        if (work > 0 || driving || Thread.currentThread().isVirtual()) {
            looking = false;
            return work;
        }
        looking = true;
        lookedAtNs = System.nanoTime();
        if (!repeated) {
            lookingSinceNs = lookedAtNs;
        } else if (!SpinBudget.allowed(lookedAtNs)) {
            doze(SHORT_DOZE_NS, lookedAtNs);
            lookedAtNs = System.nanoTime();
        } else if (lookedAtNs - lookingSinceNs >= POLITE_AFTER_NS) {
            lookedAtNs = SpinBudget.pause();
        }
        return work;
    }

    /**
     * A doorbell of one engine was rung in this thread: drives that engine, unless a turn is in progress, which then
     * handles it.
     */
    void ring(InlineDriver driver) {
        if (driving) {
            again = true;
            driver.letGo();
            return;
        }
        driving = true;
        try {
            int repeats = 0;
            do {
                again = false;
                driver.turn();
            } while (again && ++repeats < MOST_REPEATS);
        } finally {
            driving = false;
        }
    }

    /**
     * Runs handlers outside of turns, so they may post, poll and even wait; a wait inside a handler runs no other
     * handler.
     */
    private int runHandlers() {
        if (handling) {
            return 0;
        }
        int ran = 0;
        handling = true;
        try {
            for (InlineDriver driver : drivers) {
                ran += driver.handlers().runAll();
            }
        } finally {
            handling = false;
        }
        return ran;
    }

    /** Waits for a condition, driving all engines. */
    boolean await(BooleanSupplier condition, long timeoutNs, boolean interruptible) {
        if (driving) {
            throw new IllegalStateException("A callback that runs within an engine turn must not wait for the RNIC; "
                    + "wait after the callback has returned.");
        }
        if (condition.getAsBoolean()) {
            return true;
        }
        boolean interrupted = false;
        try {
            long startNs = System.nanoTime();
            long idleSinceNs = startNs;
            while (true) {
                int work = drive();
                if (condition.getAsBoolean()) {
                    return true;
                }
                long nowNs = System.nanoTime();
                long leftNs = timeoutNs - (nowNs - startNs);
                if (leftNs <= 0) {
                    return false;
                }
                interrupted |= Threads.interrupted(interruptible);
                if (work > 0) {
                    idleSinceNs = nowNs;
                } else {
                    idle(nowNs - idleSinceNs, leftNs, nowNs);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void idle(long idleNs, long leftNs, long nowNs) {
        if (Thread.currentThread().isVirtual()) {
            // Its carrier serves others too: it neither spins nor waits in the system.
            LockSupport.parkNanos(Math.min(leftNs, Math.clamp(idleNs / 4, VIRTUAL_PARK_NS, SHORT_DOZE_NS)));
        } else if (!SpinBudget.allowed(nowNs)) {
            doze(leftNs, nowNs); // the peer may be waiting for this processor
        } else if (idleNs < POLITE_AFTER_NS) {
            Thread.onSpinWait();
        } else if (idleNs < SPIN_NS) {
            SpinBudget.pause();
        } else {
            doze(leftNs, nowNs);
        }
    }

    /** Waits in the system on one selector; with several engines on each in turn, briefly. */
    private void doze(long leftNs, long nowNs) {
        InlineDriver[] all = drivers;
        long timeoutNs = Math.min(leftNs, all.length > 1 ? SHORT_DOZE_NS : DOZE_NS);
        for (InlineDriver driver : all) {
            timeoutNs = Math.min(timeoutNs, driver.leftNs(nowNs));
        }
        InlineDriver chosen = pick(all);
        if (chosen == null || timeoutNs < chosen.finestWaitNs()) {
            // Finer than a selector can wait.
            LockSupport.parkNanos(Math.min(timeoutNs, VIRTUAL_PARK_NS));
            return;
        }
        driving = true;
        try {
            chosen.doze(timeoutNs);
        } finally {
            driving = false;
        }
    }

    private @Nullable InlineDriver pick(InlineDriver[] all) {
        if (all.length == 0) {
            return null;
        }
        nextToDoze = (nextToDoze + 1) % all.length;
        return all[nextToDoze];
    }
}
