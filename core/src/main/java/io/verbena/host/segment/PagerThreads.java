package io.verbena.host.segment;

import io.verbena.host.system.Threads;
import io.verbena.memory.vmm.PageJob;
import io.verbena.memory.vmm.Pager;
import io.verbena.memory.vmm.PagingHost;
import io.verbena.verbs.VerbsException;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that perform the jobs of a pager: they block on files so that no engine does. An idle thread parks. Threads
 * are woken one by one as long as there are jobs: each wakes the next after it has taken a job.
 */
final class PagerThreads implements PagingHost.Driver {

    private static final long STARVED_NS = 1_000_000;
    private static final long SETTLE_NS = 20_000;
    private static final long LONGEST_PARK_NS = 1_000_000_000;
    private static final long STOP_NS = 10_000_000_000L;

    private final Pager pager;
    private final Worker[] workers;
    private final AtomicInteger parked = new AtomicInteger();
    private volatile boolean stopping;

    PagerThreads(String name, Pager pager, int count) {
        this.pager = pager;
        workers = new Worker[count];
        for (int i = 0; i < count; i++) {
            workers[i] = new Worker(name + "-pager-" + i);
        }
        pager.onWork(this::wakeOne);
        for (Worker worker : workers) {
            worker.start();
        }
    }

    private void wakeOne() {
        VarHandle.fullFence();
        if (parked.get() == 0) {
            return;
        }
        for (Worker worker : workers) {
            if (worker.idle) {
                worker.idle = false;
                LockSupport.unpark(worker);
                return;
            }
        }
    }

    private final class Worker extends Thread {

        private final PageJob job = new PageJob();
        volatile boolean idle;

        Worker(String name) {
            super(name);
            setDaemon(true);
        }

        @Override
        public void run() {
            while (!stopping) {
                try {
                    if (pager.take(job)) {
                        wakeOne();
                        work();
                    } else {
                        rest();
                    }
                } catch (VerbsException e) {
                    // An engine that was to be notified has failed, which its RNIC reports itself.
                    LockSupport.parkNanos(STARVED_NS);
                }
            }
        }

        private void work() {
            while (!job.settled()) {
                // Turns of engines are short.
                LockSupport.parkNanos(SETTLE_NS);
            }
            pager.perform(job);
            pager.finish(job);
        }

        private void rest() {
            if (pager.starved()) {
                LockSupport.parkNanos(STARVED_NS);
                return;
            }
            idle = true;
            parked.incrementAndGet();
            VarHandle.fullFence();
            if (!pager.hasWork() && !stopping) {
                LockSupport.parkNanos(LONGEST_PARK_NS);
            }
            idle = false;
            parked.decrementAndGet();
        }
    }

    @Override
    public void close() {
        stopping = true;
        for (Worker worker : workers) {
            LockSupport.unpark(worker);
        }
        for (Worker worker : workers) {
            if (!Threads.join(worker, STOP_NS)) {
                throw new VerbsException("A pager is still waiting for a file after 10 seconds.");
            }
        }
    }
}
