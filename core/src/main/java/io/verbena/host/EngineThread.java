package io.verbena.host;

import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.channels.ClosedSelectorException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A thread that drives one engine: polls its streams, lets it take a turn, spins briefly when there was nothing, then parks
 * in the selector until something is ready, a deadline comes, or a doorbell rings.
 *
 * <p><b>No doorbell is lost, and none costs a system call while the engine runs.</b> It is Dekker's pattern: each side first
 * writes its own word, then reads the other's, with a full fence between.
 *
 * <pre>
 *   who rings                         who parks
 *   work is written (doorbell stack)  parked = true
 *   full fence                        full fence
 *   reads parked                      looks for work
 *     true: wakes the selector          found: parked = false, goes on
 *     false: done                       none:  selects
 * </pre>
 *
 * Either the ringer sees that the engine is about to park, or the engine sees the work: both missing each other would need
 * both reads to come before both writes. A wakeup that hits between the look and the select is kept by the selector. Of
 * several ringers one makes the system call (compare-and-set on {@code parked}); a wakeup that comes late, after the thread
 * has woken by itself, ends one later park for nothing.
 *
 * <p>How long it spins is learned as halt polling in hypervisors learns it, see {@link SpinBudget}.
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
    private volatile @Nullable Throwable failure;
    private long parks;

    /** The thread's type, by which one can tell that a caller is an engine. */
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
            loop.wakeup();
        }
    }

    /** What ended the thread before it was told to stop, if something did. */
    @Nullable
    Throwable failure() {
        return failure;
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
                drive();
            }
        } catch (ClosedSelectorException e) {
            if (!stopping) { // else an event closed the environment in this very thread
                failed(e);
            }
        } catch (Throwable e) {
            failed(e);
        }
    }

    private void bind() {
        String note = Pinning.bind("An engine of an RNIC", cores);
        if (!note.isEmpty()) {
            System.getLogger("io.verbena.host").log(Level.WARNING, note);
        }
    }

    private void failed(Throwable e) {
        failure = e;
        thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
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
     * Streams, then the engine; whether there was work. What the turn says of itself is not asked: an engine that looks
     * into its hot streams works every round, whether they brought anything or not.
     */
    private boolean round(long nowNs) {
        boolean rung = engine.hasWork();
        int events = loop.poll();
        engine.turn(nowNs);
        return rung || events > 0;
    }

    private void park(long nowNs) {
        parked = true;
        VarHandle.fullFence();
        if (stopping || engine.hasWork()) {
            parked = false;
            return;
        }
        long deadlineNs = engine.nextDeadlineNs();
        long timeoutNs = deadlineNs == Driven.NEVER ? LONGEST_PARK_NS : deadlineNs - nowNs;
        int events = loop.select(Math.min(timeoutNs, LONGEST_PARK_NS));
        boolean rung = !parked;
        parked = false;
        parks++;
        if (events > 0 || rung) {
            spin.onParked(System.nanoTime() - nowNs);
        }
    }

    /**
     * Stops the thread. When this returned true, the engine does not run any more and never will; the
     * thread itself may call it, then it ends after the present turn.
     *
     * @return false when the present turn did not end in time
     */
    boolean stop(long timeoutNs) {
        stopping = true;
        wake();
        return Threads.join(thread, timeoutNs);
    }
}
