package io.verbena.sockets.nio;

import io.verbena.sockets.stream.EngineDriver;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.channels.Selector;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The wait of the thread that selects: in a selector of the JDK, or without one. Then it drives the engine of the RNIC, or parks
 * while another thread does, see {@link EngineDriver}.
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

    private static final long SPIN_NS = Runtime.getRuntime().availableProcessors() > 1 ? 5_000 : 0;

    private final Networks networks;
    private final BooleanSupplier called;
    private volatile int state = RUNNING;
    private volatile @Nullable Thread waiting;
    private volatile @Nullable Selector inner;

    /** A wait that is over when {@code called} is true; who makes it true calls {@link #wake} then. */
    SelectorWait(Networks networks, BooleanSupplier called) {
        this.networks = networks;
        this.called = called;
    }

    /** The calling thread is about to wait in a selector of the JDK, unless the wait is over already. */
    void begin(Selector in) {
        inner = in;
        state = IN_INNER;
    }

    void end() {
        state = RUNNING;
    }

    /** Waits without a selector of the JDK. */
    void park(long timeoutNs) {
        waiting = Thread.currentThread();
        EngineDriver driver = networks.driver();
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
            state = PARKED;
            long startNs = System.nanoTime();
            long leftNs = timeoutNs;
            while (!called.getAsBoolean() && leftNs > 0) {
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
        int how = state;
        if (how == RUNNING || !STATE.compareAndSet(this, how, RUNNING)) {
            return;
        }
        if (how == PARKED) {
            wakeParked();
            return;
        }
        Selector in = inner;
        if (in != null) {
            in.wakeup();
        }
    }

    private void wakeParked() {
        EngineDriver driver = networks.driver();
        if (driver == null) {
            LockSupport.unpark(waiting);
        } else {
            driver.wake(waiting);
        }
    }
}
