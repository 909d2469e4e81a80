package io.verbena.host.engine;

import io.verbena.base.WaitPoint;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The wait point of the owner of an INLINE RNIC: the waiting thread drives all its engines, so the condition changes in
 * its own thread and a signal has no thread to wake.
 */
public final class InlineWaitPoint implements WaitPoint {

    private final Supplier<InlineDriver> driver;

    public InlineWaitPoint(Supplier<InlineDriver> driver) {
        this.driver = driver;
    }

    @Override
    public boolean await(BooleanSupplier condition, long timeoutNs) {
        return driver.get().group().await(condition, timeoutNs, true);
    }

    @Override
    public boolean awaitUninterruptibly(BooleanSupplier condition, long timeoutNs) {
        return driver.get().group().await(condition, timeoutNs, false);
    }

    @Override
    public void signal() {
        // The waiter checks its condition after every round, and at least every ten milliseconds.
    }
}
