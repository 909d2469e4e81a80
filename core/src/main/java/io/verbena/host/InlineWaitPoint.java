package io.verbena.host;

import io.verbena.base.WaitPoint;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Where the owner of an INLINE RNIC waits: it drives all its engines meanwhile, so what it waits for happens in its own
 * thread and a signal has nobody to wake.
 */
final class InlineWaitPoint implements WaitPoint {

    private final Supplier<InlineDriver> driver;

    InlineWaitPoint(Supplier<InlineDriver> driver) {
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
        // The waiter looks at its condition after every round, and at least every ten milliseconds.
    }
}
