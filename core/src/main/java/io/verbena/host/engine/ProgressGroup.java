package io.verbena.host.engine;

import io.verbena.host.system.Threads;
import java.lang.invoke.VarHandle;
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

    /** Longest single wait in a selector: what no selector sees (another thread's signal) waits no longer than this. */
    private static final long DOZE_NS = 10_000_000;

    private static final long SHORT_DOZE_NS = 1_000_000;

    private static final long VIRTUAL_PARK_NS = 50_000;
    private static final int MOST_REPEATS = 8;

    /** Of a wait that nothing but its condition and its time ends. */
    private static final BooleanSupplier NOTHING_MORE = () -> false;

    private volatile InlineDriver[] drivers = {};
    private boolean driving;
    private boolean again;
    private boolean handling;
    private int nextToDoze;

    /** How often there was work, or a doorbell was rung: what a poller does after that does not continue its idle polls. */
    private long found;

    private long dozes;

    /** The engine in whose selector this thread waits now. */
    private volatile @Nullable InlineDriver dozing;

    private final PollPause pause = new PollPause();
    private final PollPace pace = new PollPace();

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

    /** Whether the calling thread has INLINE engines. */
    static boolean drivesHere() {
        ProgressGroup group = OF_THREAD.get();
        return group != null && group.drivers.length > 0;
    }

    /** What this thread does between polls that find nothing. */
    PollPause pause() {
        return pause;
    }

    /** How often this thread has waited in the system; for measurements. */
    long dozes() {
        return dozes;
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
     *
     * @param nowNs the time, which the caller has read: to read it takes 30 ns, as long as all the rest of a poll that finds nothing
     */
    int drive(long nowNs) {
        return drive(nowNs, true);
    }

    /** The same; without the time, engines take a turn only if they have work. */
    private int drive(long nowNs, boolean timed) {
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
                    work += timed ? driver.round(nowNs) : driver.glance();
                }
            } while (again && ++repeats < MOST_REPEATS);
        } finally {
            driving = false;
        }
        work += runHandlers();
        if (work > 0) {
            found++;
            pause.worked();
        }
        return work;
    }

    /**
     * Drives every engine; if none has anything to do, waits interruptibly until one has, at most this long.
     *
     * @param over ends the wait: the RNIC that the program waits for is closed
     */
    int drive(long timeoutNs, BooleanSupplier over) {
        long startNs = System.nanoTime();
        int work = drive(startNs);
        if (work > 0 || driving) {
            return work;
        }
        long nowNs = startNs;
        while (work == 0 && nowNs - startNs < timeoutNs && !over.getAsBoolean()) {
            Threads.interrupted(true);
            idle(nowNs - startNs, timeoutNs - (nowNs - startNs), nowNs, over);
            nowNs = System.nanoTime();
            work = drive(nowNs);
        }
        if (work == 0 && nowNs - startNs < timeoutNs) {
            pause.worked(); // a peer has written memory, or another thread has ended the wait
        }
        return work;
    }

    /**
     * One poll of a program that polls repeatedly. If the polls of this poller find nothing, a pause follows, as in a wait
     * ({@link PollPause}), because the peer may need the processor. Only the second poll that finds nothing, with no work in between,
     * waits in the system. The first one does not, because it ends a loop that takes all completions, and the program may have to act
     * before anything arrives.
     */
    int look(InlinePoller poller) {
        if (pace.untimed()) {
            return drive(0, false);
        }
        long nowNs = System.nanoTime();
        boolean repeated = poller.continues(found, nowNs, pace.timed(nowNs));
        int work = drive(nowNs);
        if (work > 0 || driving || Thread.currentThread().isVirtual()) {
            return work;
        }
        long emptyNs = repeated ? nowNs - poller.emptySinceNs() : 0;
        PollPause.Kind kind = pause.after(emptyNs, nowNs);
        pace.calm(kind == PollPause.Kind.NONE && !pause.crowded());
        if (kind == PollPause.Kind.YIELD) {
            nowNs = pause.giveWay(System.nanoTime());
        } else if (kind == PollPause.Kind.WAIT && repeated) {
            pause.waits(nowNs);
            doze(SHORT_DOZE_NS, nowNs, NOTHING_MORE);
            nowNs = System.nanoTime();
        } else if (pause.crowded()) {
            // What a turn takes is not the program's time, and is long if another thread has used the processor
            // meanwhile.
            nowNs = System.nanoTime();
        }
        poller.wasEmpty(found, nowNs, repeated);
        return work;
    }

    /** The program works inside an engine, as in a turn. Returns false within a turn. */
    boolean beginPost() {
        if (driving) {
            return false;
        }
        driving = true;
        return true;
    }

    void endPost() {
        driving = false;
    }

    /** The program has posted work that needed no turn: its polls begin anew, as after a doorbell. */
    void posted() {
        found++;
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
        found++;
        try {
            int repeats = 0;
            do {
                again = false;
                driver.turn(System.nanoTime());
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
            long nowNs = startNs;
            while (true) {
                int work = drive(nowNs);
                if (condition.getAsBoolean()) {
                    return true;
                }
                nowNs = System.nanoTime();
                long leftNs = timeoutNs - (nowNs - startNs);
                if (leftNs <= 0) {
                    return false;
                }
                interrupted |= Threads.interrupted(interruptible);
                if (work > 0) {
                    idleSinceNs = nowNs;
                } else {
                    nowNs = idle(nowNs - idleSinceNs, leftNs, nowNs, NOTHING_MORE);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A pause. Returns the time after it, or that before it if there was none. */
    private long idle(long idleNs, long leftNs, long nowNs, BooleanSupplier over) {
        if (Thread.currentThread().isVirtual()) {
            // Its carrier serves others too: it neither spins nor waits in the system.
            LockSupport.parkNanos(Math.min(leftNs, Math.clamp(idleNs / 4, VIRTUAL_PARK_NS, SHORT_DOZE_NS)));
            return System.nanoTime();
        }
        return switch (idleNs < SPIN_NS ? pause.after(idleNs, nowNs) : PollPause.Kind.WAIT) {
            case NONE -> {
                Thread.onSpinWait();
                yield nowNs;
            }
            case YIELD -> pause.giveWay(System.nanoTime());
            case WAIT -> {
                pause.waits(nowNs);
                doze(leftNs, nowNs, over);
                yield System.nanoTime();
            }
        };
    }

    /**
     * Ends the wait in a selector, so that {@code over} is checked, by Dekker's pattern: see {@link EngineThread}. Any thread. A
     * virtual thread is not woken: it waits for a millisecond at most.
     */
    void wakeup() {
        VarHandle.fullFence();
        InlineDriver asleep = dozing;
        if (asleep != null) {
            asleep.wakeup();
        }
    }

    /** Waits in the system on one selector; with several engines on each in turn, briefly. */
    private void doze(long leftNs, long nowNs, BooleanSupplier over) {
        dozes++;
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
        dozing = chosen;
        VarHandle.fullFence();
        try {
            if (!over.getAsBoolean()) {
                chosen.doze(timeoutNs);
            }
        } finally {
            dozing = null;
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
