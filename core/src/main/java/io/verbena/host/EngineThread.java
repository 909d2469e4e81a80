package io.verbena.host;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread that drives one engine: polls its streams, runs an engine turn, spins briefly when idle, then parks in the
 * selector until an event, a deadline or a doorbell.
 *
 * <p><b>No doorbell is lost, and none costs a system call while the engine runs.</b> This is Dekker's pattern: each
 * side first writes its own word, then reads that of the other side, with a full fence between.
 *
 * <pre>
 *   ringer                            engine thread
 *   writes work (doorbell stack)      parked = true
 *   full fence                        full fence
 *   reads parked                      checks for work
 *     true: wakes the selector          found: parked = false, continues
 *     false: done                       none:  selects
 * </pre>
 *
 * Either the ringer sees that the engine is about to park, or the engine sees the work: if both missed each other, both
 * reads would precede both writes. A wakeup between the check and the select is kept by the selector. Of several
 * ringers one makes the system call (compare-and-set on {@code parked}); a wakeup that arrives late, after the thread
 * has woken by itself, only ends one later park early.
 *
 * <p>The spinning time adapts like halt polling in hypervisors, see {@link SpinBudget}.
 */
public final class EngineThread {

    private static final VarHandle PARKED;

    static {
        try {
            PARKED = MethodHandles.lookup().findVarHandle(EngineThread.class, "parked", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final long LONGEST_PARK_NS = 1_000_000_000;

    private final EngineLoop loop;
    private final Driven engine;
    private final Worker thread;
    private final Set<Integer> cores;
    private final SpinBudget spin = new SpinBudget();

    private volatile boolean parked;
    private volatile boolean stopping;

    /** The streams have failed: they are not used any more, and the engine is driven without them. */
    private volatile boolean streamless;

    // Guarded by the lock: which thread closes the streams if this one did not end in time.
    private boolean ended;
    private boolean closesLoop;
    private volatile @Nullable Throwable failure;
    private long parks;

    /** The type of the thread, which identifies callers that are engines. */
    static final class Worker extends Thread {
        Worker(Runnable work, String name) {
            super(work, name);
            setDaemon(true);
        }
    }

    /** Not started yet; runs on any core. */
    public EngineThread(String name, EngineLoop loop, Driven engine) {
        this(name, loop, engine, Set.of());
    }

    /** Not started yet; bound to these cores, none for any. */
    public EngineThread(String name, EngineLoop loop, Driven engine, Set<Integer> cores) {
        this.cores = Set.copyOf(cores);
        this.loop = loop;
        this.engine = engine;
        this.thread = new Worker(this::run, name);
    }

    public void start() {
        thread.start();
    }

    /** There is work from another side than the streams: see the essay above. Any thread. */
    public void wake() {
        VarHandle.fullFence();
        if (parked && PARKED.compareAndSet(this, true, false)) {
            if (streamless) {
                LockSupport.unpark(thread);
            } else {
                loop.wakeup();
            }
        }
    }

    /** The failure that ended the thread before it was stopped, if any. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** Whether it is this thread. */
    @SuppressWarnings("ReferenceEquality") // threads have no other equality
    boolean is(Thread other) {
        return other == thread;
    }

    /** How often the thread has parked; for measurements. */
    public long parks() {
        return parks;
    }

    private void run() {
        loop.own();
        bind();
        try {
            while (!stopping) {
                driveOn();
            }
        } catch (Throwable e) {
            failure = e;
            Threads.uncaught(e);
        } finally {
            end();
        }
    }

    private void bind() {
        String note = Pinning.bind("An engine of an RNIC", cores);
        if (!note.isEmpty()) {
            System.getLogger("io.verbena.host").log(Level.WARNING, note);
        }
    }

    /** A failure ends the engine, not the thread, which continues in order to flush work posted to the engine. */
    private void driveOn() {
        try {
            drive();
        } catch (Throwable e) {
            parked = false;
            if (stopping) {
                return; // an event closed the environment in this very thread
            }
            if (streamless || !engine.onFailure(e)) {
                throw e;
            }
            streamless = true;
        }
    }

    private synchronized void end() {
        ended = true;
        if (closesLoop) {
            closeLoop();
        }
    }

    /** Closes the streams: now, or at the end of the current turn. After {@link #stop}. */
    synchronized void closeLoopAtEnd() {
        closesLoop = true;
        if (ended) {
            closeLoop();
        }
    }

    private void closeLoop() {
        try {
            loop.close();
        } catch (IOException e) {
            Threads.uncaught(e);
        }
    }

    /** From work to the end of the next park. */
    private void drive() {
        long nowNs = System.nanoTime();
        while (round(nowNs)) {
            if (stopping) {
                return;
            }
            nowNs = System.nanoTime();
        }
        long idleSinceNs = nowNs;
        while (nowNs - idleSinceNs < spin.spinNs(nowNs)) {
            nowNs = SpinBudget.pause();
            if (round(nowNs) || stopping) {
                return;
            }
        }
        park(nowNs);
    }

    /**
     * Polls the streams, then runs the engine. Returns whether there was work. The result of the engine turn is not
     * used, because an engine that reads its hot streams works in every round, whether they had bytes or not.
     */
    private boolean round(long nowNs) {
        boolean rung = engine.hasWork();
        int events = streamless ? 0 : loop.poll();
        engine.turn(nowNs);
        // A callback may have left it set. Nothing here is to be interrupted, and a selector would not wait.
        Thread.interrupted();
        return rung || events > 0;
    }

    private void park(long nowNs) {
        parked = true;
        VarHandle.fullFence();
        if (stopping || engine.hasWork()) {
            parked = false;
            return;
        }
        int events = await(parkNs(engine.nextDeadlineNs(), nowNs));
        boolean rung = !parked;
        parked = false;
        parks++;
        if (events > 0 || rung) {
            spin.onParked(System.nanoTime() - nowNs);
        }
    }

    /** How long a park may last; 0 or less when the deadline has passed. */
    static long parkNs(long deadlineNs, long nowNs) {
        return deadlineNs == Driven.NEVER ? LONGEST_PARK_NS : Math.min(deadlineNs - nowNs, LONGEST_PARK_NS);
    }

    private int await(long timeoutNs) {
        if (streamless) {
            LockSupport.parkNanos(this, timeoutNs);
            return 0;
        }
        return loop.select(timeoutNs);
    }

    /**
     * Stops the thread. After it returned true, the engine never runs again. The thread itself may call this method,
     * and then ends after the current turn.
     *
     * @return false if the current turn did not end in time
     */
    boolean stop(long timeoutNs) {
        stopping = true;
        wake();
        return Threads.join(thread, timeoutNs);
    }
}
