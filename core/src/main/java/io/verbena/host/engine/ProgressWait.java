package io.verbena.host.engine;

import java.util.function.BooleanSupplier;

/**
 * Waits for the work of an RNIC with engine threads, whatever the work is. If the RNIC has one engine, a platform thread borrows
 * it. Every other thread waits for the engine threads or the borrower: a second one, virtual threads, whose carriers serve
 * others, and threads with INLINE RNICs, which they drive meanwhile. So do threads that wait for an RNIC with several engines,
 * because a thread cannot sleep in several selectors.
 *
 * <p><b>No work is lost.</b> A round may have had work after a program has checked what it waits for, and before it waits. So a
 * wait returns at once if there was work since the thread's last wait returned. What the thread's own doorbells have caused is
 * left out: the thread checks after it has posted.
 */
final class ProgressWait {

    private final EngineThread[] threads;
    private final ParkingWaitPoint worked;
    private final Wakeups wakeups = new Wakeups();
    private final ThreadLocal<Waiter> waiters = ThreadLocal.withInitial(Waiter::new);
    private volatile boolean over;

    /** A waiting thread, and what ends its wait. */
    private final class Waiter {
        final EngineBorrower borrower = new EngineBorrower();
        final BooleanSupplier ended = this::ended;
        final BooleanSupplier news = () -> ended() || borrower.seen() != works();
        private long begun;

        void begin() {
            begun = wakeups.begin();
        }

        private boolean ended() {
            return over || wakeups.end(begun);
        }
    }

    /** For these engines, which are not started yet. */
    ProgressWait(EngineThread[] threads, ParkingWaitPoint worked) {
        this.threads = threads;
        this.worked = worked;
        for (EngineThread thread : threads) {
            thread.onWork(worked::signal);
        }
    }

    private long works() {
        long sum = 0;
        for (EngineThread thread : threads) {
            sum += thread.worked();
        }
        return sum;
    }

    /**
     * Waits for work.
     *
     * @return a measure of the work; 0 if the wait ended otherwise, and at once inside an engine
     */
    int progress(long timeoutNs) {
        if (over || EngineBorrower.drivesHere()) {
            return 0;
        }
        Waiter waiter = waiters.get();
        if (timeoutNs <= 0) {
            return look(waiter.borrower);
        }
        waiter.begin();
        if (mayBorrow()) {
            int work = threads[0].borrowing().borrow(waiter.borrower, timeoutNs, waiter.ended);
            if (work >= 0) {
                return work;
            }
        }
        worked.await(waiter.news, timeoutNs);
        return waiter.borrower.news(works()) ? 1 : 0;
    }

    /** Does not wait. What the round of another thread has done counts, too. */
    private int look(EngineBorrower engineBorrower) {
        int work = mayBorrow() ? threads[0].borrowing().look(engineBorrower) : 0;
        return engineBorrower.news(works()) ? Math.max(1, work) : work;
    }

    private boolean mayBorrow() {
        return threads.length == 1 && !Thread.currentThread().isVirtual() && !ProgressGroup.drivesHere();
    }

    /** Ends all waits that are in progress, or the next one. Any thread. */
    void end() {
        wakeups.call();
        wake();
    }

    private void wake() {
        for (EngineThread thread : threads) {
            thread.wakeBorrower();
        }
        worked.signal();
    }

    /** Ends all waits, now and later. */
    void close() {
        over = true;
        wake();
    }
}
