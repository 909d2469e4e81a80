package io.verbena.live;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;

/**
 * Whether more threads of the machine run, or want to, than it has processors. A thread that spins then keeps the peer
 * that it has just woken from running, where a thread that sleeps would make place. That is also so while compilers of
 * new JVMs work. A thread asks before it spins, and the count holds for 20 ms for the whole JVM; one that spins for
 * long counts again.
 */
public final class WantedProcessors {

    /** How long a count holds for a thread that does not spin yet. */
    public static final long COUNT_NS = 20_000_000;

    /** The same for one that spins: what it takes from others is no more than that. */
    public static final long SPIN_COUNT_NS = 20_000;

    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

    private static final WantedProcessors OF_MACHINE =
            new WantedProcessors(RunnableThreads.meaningful(PROCESSORS) ? RunnableThreads::count : () -> 0, PROCESSORS);

    private final IntSupplier wanting;
    private final int processors;
    private final Count beforeSpins = new Count(COUNT_NS);
    private final Count whileSpinning = new Count(SPIN_COUNT_NS);

    private final class Count {
        private final long holdsNs;
        private final AtomicLong countedNs;
        private volatile boolean scarce;

        Count(long holdsNs) {
            this.holdsNs = holdsNs;
            countedNs = new AtomicLong(System.nanoTime() - holdsNs);
        }

        boolean scarce(long nowNs) {
            long beforeNs = countedNs.get();
            if (nowNs - beforeNs >= holdsNs && countedNs.compareAndSet(beforeNs, nowNs)) {
                scarce = wanting.getAsInt() > processors;
            }
            return scarce;
        }
    }

    /**
     * With a count of its own.
     *
     * @param wanting the number of threads that run or want to
     */
    public WantedProcessors(IntSupplier wanting, int processors) {
        this.wanting = wanting;
        this.processors = processors;
    }

    /**
     * Those of this machine. If the process may not use all of them, or the system does not tell, they are never
     * scarce.
     */
    public static WantedProcessors ofMachine() {
        return OF_MACHINE;
    }

    /** Whether a thread that has something to wait for had better sleep at once. */
    public boolean scarce(long nowNs) {
        return beforeSpins.scarce(nowNs);
    }

    /**
     * Whether a thread that has spun for a while had better sleep: a thread for which it has received something may
     * wait for its processor. That is a matter of microseconds, so the next wait spins again.
     */
    public boolean scarceForSpinning(long nowNs) {
        return whileSpinning.scarce(nowNs);
    }
}
