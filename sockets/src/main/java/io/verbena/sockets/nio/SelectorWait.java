package io.verbena.sockets.nio;

import io.verbena.sockets.stream.EngineDriver;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.channels.Selector;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The wait of the thread that selects. Without a selector of the JDK it drives the engine of the RNIC, or parks while another thread does, see
 * {@link EngineDriver}. With one, a thread cannot sleep in both: it polls both for a while, and waits in the selector of the JDK then, where
 * an engine thread wakes it.
 *
 * <p><b>No wait misses its signal.</b> The waiting thread states where it waits, and then looks whether it is called; the thread that calls does so
 * first, and then looks at the state, and changes it. Between the two the waiting thread may have served the call and wait again: such a
 * late wake-up ends nothing. So the state is written before each look, not once for a wait.
 */
final class SelectorWait {

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(SelectorWait.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final int RUNNING = 0;
    private static final int PARKED = 1;
    private static final int IN_INNER = 2;
    private static final int IN_MEMORY = 3;

    private static final long SPIN_NS = Runtime.getRuntime().availableProcessors() > 1 ? 5_000 : 0;

    /** The selector of the JDK is a system call: it is polled at most this often. */
    private static final long INNER_EVERY_NS = 5_000;

    /** Selects in the selector of the JDK. */
    interface Inner {
        /** Returns whether it has found something. */
        boolean look(long timeoutNs, boolean now) throws IOException;
    }

    private final Supplier<@Nullable EngineDriver> streams;
    private final BooleanSupplier called;
    private final PollTime pollTime = new PollTime(Runtime.getRuntime().availableProcessors());
    private volatile int state = RUNNING;

    /** Whether the last wait ended in the selector of the JDK while it was polled: the next event is often there already. */
    private boolean foundInside;

    private volatile @Nullable Thread waiting;
    private volatile @Nullable Selector inner;
    private volatile @Nullable MemoryWait memory;

    /** A wait that is over when {@code called} is true; who makes it true calls {@link #wake} then. */
    SelectorWait(Supplier<@Nullable EngineDriver> streams, BooleanSupplier called) {
        this.streams = streams;
        this.called = called;
    }

    /** Waits for both, channels over RDMA and those of the JDK. */
    void both(Selector in, long timeoutNs, Inner selects) throws IOException {
        long startNs = System.nanoTime();
        if (!poll(startNs, timeoutNs, selects)) {
            inner = in;
            state = IN_INNER;
            if (!called.getAsBoolean()) {
                selects.look(timeoutNs, false);
            }
            state = RUNNING;
        }
        pollTime.onWaited(System.nanoTime() - startNs);
    }

    /** Polls for as long as it pays. Returns whether the wait is over. */
    private boolean poll(long startNs, long timeoutNs, Inner selects) throws IOException {
        long mostNs = Math.min(timeoutNs, pollTime.ns());
        EngineDriver driver = streams.get();
        if (mostNs == 0 || driver == null || !driver.inUse()) {
            return false;
        }
        long innerNs = foundInside ? startNs - INNER_EVERY_NS : startNs;
        foundInside = false;
        for (long nowNs = startNs; nowNs - startNs < mostNs; nowNs = System.nanoTime()) {
            driver.poll();
            boolean found = false;
            if (nowNs - innerNs >= INNER_EVERY_NS) {
                innerNs = nowNs;
                found = selects.look(0, true);
                foundInside = found;
            }
            if (found || called.getAsBoolean()) {
                return true;
            }
        }
        driver.release();
        return false;
    }

    /** Waits for rings, whose sleep was announced. */
    void inMemory(MemoryWait in, long timeoutNs) {
        memory = in;
        state = IN_MEMORY;
        if (!called.getAsBoolean()) {
            in.await(timeoutNs);
        }
        state = RUNNING;
    }

    /** Waits without a selector of the JDK. */
    void park(long timeoutNs) {
        waiting = Thread.currentThread();
        EngineDriver driver = streams.get();
        if (driver != null) {
            drive(driver, timeoutNs);
        } else {
            state = PARKED;
            if (!called.getAsBoolean()) {
                LockSupport.parkNanos(this, timeoutNs);
            }
        }
        state = RUNNING;
    }

    private void drive(EngineDriver driver, long timeoutNs) {
        boolean drives = driver.enter();
        try {
            if (!drives && spin()) {
                return;
            }
            long startNs = System.nanoTime();
            long leftNs = timeoutNs;
            while (leftNs > 0) {
                state = PARKED; // each time: a wake-up for what is served already has changed it
                if (called.getAsBoolean()) {
                    return;
                }
                driver.pause(this, leftNs);
                leftNs = timeoutNs - (System.nanoTime() - startNs);
            }
        } finally {
            driver.leave();
        }
    }

    private boolean spin() {
        long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < SPIN_NS) {
            if (called.getAsBoolean()) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    /** Ends the wait. Any thread. */
    void wake() {
        int seen = state;
        if (seen == RUNNING || !STATE.compareAndSet(this, seen, RUNNING)) {
            return;
        }
        if (seen == PARKED) {
            wakeParked();
            return;
        }
        MemoryWait inMemory = memory;
        if (seen == IN_MEMORY) {
            if (inMemory != null) {
                inMemory.wake();
            }
            return;
        }
        Selector in = inner;
        if (in != null) {
            in.wakeup();
        }
    }

    private void wakeParked() {
        EngineDriver driver = streams.get();
        if (driver == null) {
            LockSupport.unpark(waiting);
        } else {
            driver.wake(waiting);
        }
    }
}
