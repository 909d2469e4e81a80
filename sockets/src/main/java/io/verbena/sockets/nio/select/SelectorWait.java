package io.verbena.sockets.nio.select;

import io.verbena.live.WantedProcessors;
import io.verbena.sockets.stream.EngineDriver;
import io.verbena.sockets.stream.WaitSet;
import java.io.IOException;
import java.nio.channels.Selector;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The ways in which the thread that selects waits for its {@link WaitSet}. Without channels of the JDK it waits for the
 * engine of the RNIC. With them, it cannot sleep in both: it polls both for a while, then sleeps in the selector of the
 * JDK, where an engine thread wakes it. With nothing but a few rings it sleeps in shared memory.
 */
public final class SelectorWait {

    private static final long SPIN_NS = Runtime.getRuntime().availableProcessors() > 1 ? 5_000 : 0;

    /** The selector of the JDK is a system call: it is polled at most this often. */
    private static final long INNER_EVERY_NS = 5_000;

    /** Selects in the selector of the JDK. */
    public interface Inner {
        /** Returns whether it has found something. */
        boolean look(long timeoutNs, boolean now) throws IOException;
    }

    private final Supplier<@Nullable EngineDriver> streams;
    private final WaitSet<VerbenaKey> set;
    private final PollTime pollTime = new PollTime(Runtime.getRuntime().availableProcessors());
    private final Runnable wakeInner = this::wakeInner;

    /** Whether the last wait ended in the selector of the JDK while it was polled: the next event is often there already. */
    private boolean foundInside;

    private volatile @Nullable Selector inner;

    /** A wait that is over when a key is listed, or {@code ended} is true. */
    public SelectorWait(Supplier<@Nullable EngineDriver> streams, BooleanSupplier ended) {
        this.streams = streams;
        set = new WaitSet<>(streams, ended, SPIN_NS);
    }

    /** The keys to look at. */
    public WaitSet<VerbenaKey> set() {
        return set;
    }

    /** Waits for both, channels over RDMA and those of the JDK. */
    public void both(Selector in, long timeoutNs, Inner selects) throws IOException {
        set.waits();
        long startNs = System.nanoTime();
        if (!poll(startNs, timeoutNs, selects)) {
            inner = in;
            try {
                if (set.announce(wakeInner)) {
                    selects.look(timeoutNs, false);
                }
            } finally {
                set.awake();
            }
        }
        pollTime.onWaited(System.nanoTime() - startNs);
    }

    private void wakeInner() {
        Selector in = inner;
        if (in != null) {
            in.wakeup();
        }
    }

    /** Polls for as long as it pays. Returns whether the wait is over. */
    private boolean poll(long startNs, long timeoutNs, Inner selects) throws IOException {
        long mostNs = Math.min(timeoutNs, pollTime.ns());
        EngineDriver driver = streams.get();
        if (mostNs == 0
                || driver == null
                || !driver.inUse()
                || WantedProcessors.ofMachine().scarce(startNs)) {
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
            if (found || set.over()) {
                return true;
            }
        }
        driver.release();
        return false;
    }

    /** Waits for rings, whose sleep was announced. */
    public void inMemory(MemoryWait in, long timeoutNs) {
        set.waits();
        try {
            if (set.announce(in.waking())) {
                in.await(timeoutNs);
            }
        } finally {
            set.awake();
        }
    }

    /** Waits without a selector of the JDK. */
    public void park(long timeoutNs) {
        set.await(timeoutNs);
    }
}
