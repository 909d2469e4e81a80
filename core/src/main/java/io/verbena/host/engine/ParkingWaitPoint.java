package io.verbena.host.engine;

import io.verbena.base.WaitPoint;
import io.verbena.host.system.Threads;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Wait point for threads that wait for engine threads. A platform thread spins for a while (see {@link SpinBudget}),
 * then parks; a virtual thread parks at once. A single waiter, the usual case, needs no lock and no object.
 *
 * <p>No signal is lost, by the pattern described at {@link EngineThread}: a waiter publishes itself, then checks the
 * condition; the signaller makes the condition true, then reads the waiter, with a full fence on both sides.
 */
public final class ParkingWaitPoint implements WaitPoint {

    private static final VarHandle FIRST;

    static {
        try {
            FIRST = MethodHandles.lookup().findVarHandle(ParkingWaitPoint.class, "first", Thread.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Parks end after this long at the latest, to see whether the engines still live. */
    private static final long LONGEST_PARK_NS = 1_000_000_000;

    private final Runnable checkEngines;
    private final SpinBudget spin = new SpinBudget();
    private volatile @Nullable Thread first;
    private final CopyOnWriteArrayList<Thread> others = new CopyOnWriteArrayList<>();

    /**
     * Creates a wait point.
     *
     * @param checkEngines throws if an engine has failed, so that no thread waits for it
     */
    public ParkingWaitPoint(Runnable checkEngines) {
        this.checkEngines = checkEngines;
    }

    @Override
    public boolean await(BooleanSupplier condition, long timeoutNs) {
        return await(condition, timeoutNs, true);
    }

    @Override
    public boolean awaitUninterruptibly(BooleanSupplier condition, long timeoutNs) {
        return await(condition, timeoutNs, false);
    }

    private boolean await(BooleanSupplier condition, long timeoutNs, boolean interruptible) {
        if (condition.getAsBoolean()) {
            return true;
        }
        if (timeoutNs <= 0) {
            return false;
        }
        long startNs = System.nanoTime();
        Thread me = Thread.currentThread();
        if (EngineBorrower.drivesHere()) {
            throw new IllegalStateException("A callback that runs in an engine thread must not wait for the RNIC; "
                    + "wait in another thread.");
        }
        if (ProgressGroup.awaitedInline(condition, timeoutNs, interruptible)) {
            return condition.getAsBoolean();
        }
        if (!me.isVirtual() && spun(condition, startNs, timeoutNs)) {
            return true;
        }
        boolean single = FIRST.compareAndSet(this, null, me);
        if (!single) {
            others.add(me);
        }
        try {
            return parked(condition, startNs, timeoutNs, interruptible);
        } finally {
            if (single) {
                first = null;
            } else {
                others.remove(me);
            }
        }
    }

    private boolean spun(BooleanSupplier condition, long startNs, long timeoutNs) {
        long nowNs = startNs;
        long mostNs = Math.min(spin.spinNs(nowNs), timeoutNs);
        while (nowNs - startNs < mostNs) {
            nowNs = SpinBudget.pause();
            if (condition.getAsBoolean()) {
                spin.onCaught();
                return true;
            }
        }
        return false;
    }

    private boolean parked(BooleanSupplier condition, long startNs, long timeoutNs, boolean interruptible) {
        long parkedAtNs = System.nanoTime();
        boolean interrupted = false;
        try {
            while (true) {
                VarHandle.fullFence();
                if (condition.getAsBoolean()) {
                    spin.onParked(System.nanoTime() - parkedAtNs);
                    return true;
                }
                checkEngines.run();
                long leftNs = timeoutNs - (System.nanoTime() - startNs);
                if (leftNs <= 0) {
                    return condition.getAsBoolean();
                }
                // A pending interrupt would end every park at once, so its status is cleared during the wait.
                interrupted |= Threads.interrupted(interruptible);
                LockSupport.parkNanos(this, Math.min(leftNs, LONGEST_PARK_NS));
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void signal() {
        VarHandle.fullFence();
        Thread waiter = first;
        if (waiter != null) {
            LockSupport.unpark(waiter);
        }
        if (!others.isEmpty()) {
            others.forEach(LockSupport::unpark);
        }
    }
}
