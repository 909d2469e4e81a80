package io.verbena.host;

import io.verbena.base.WaitPoint;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where threads wait for engine threads. A platform thread looks again and again for a while (see {@link SpinBudget}), then
 * parks; a virtual thread parks at once. One waiter, the usual case, needs no lock and no object.
 *
 * <p>No signal is lost, by the pattern that {@link EngineThread} explains: a waiter writes its name, then looks at the
 * condition; who signals has made the condition hold, then reads the name, with a full fence on both sides.
 */
final class ParkingWaitPoint implements WaitPoint {

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
     * A place to wait.
     *
     * @param checkEngines throws when an engine has died, so that nobody waits for it
     */
    ParkingWaitPoint(Runnable checkEngines) {
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
        if (me instanceof EngineThread.Worker) {
            throw new IllegalStateException(
                    "A callback that runs in the RNIC's engine thread must not wait for the RNIC: "
                            + "hand the waiting to another thread.");
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
                // An interrupt status that is set ends every park at once, so it is taken away meanwhile.
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
