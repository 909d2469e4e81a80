package io.verbena.tools.sim;

import io.verbena.sim.Profile;
import io.verbena.sim.model.Simulation;
import io.verbena.sim.model.SimulationFailure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.ProgressBar;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Many seeds, several at a time, each in its own world. Ends at the first failure. */
public final class Seeds {

    private static final long LOOK_MS = 50;

    private final long first;
    private final long count;
    private final Optional<Profile> profile;
    private final StopSignal stop;

    // Guarded by this.
    private long taken;
    private long done;
    private long operations;
    private long events;
    private long virtualNs;
    private @Nullable Throwable failure;

    private long wallNs;

    /** Seeds from {@code first} on, with their own profiles if none is given. */
    public Seeds(long first, long count, Optional<Profile> profile, StopSignal stop) {
        this.first = first;
        this.count = count;
        this.profile = profile;
        this.stop = stop;
    }

    /**
     * Runs them. Ends early if the user requested the end; {@link #done} is the number of finished seeds.
     *
     * @throws SimulationFailure of the first that failed
     */
    public void run(int threads, ProgressBar bar) throws InterruptedException {
        long startNs = System.nanoTime();
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < Math.min(threads, count); i++) {
            workers.add(Thread.ofPlatform().daemon().name("verbena-sim-" + i).start(this::work));
        }
        for (Thread worker : workers) {
            while (worker.isAlive()) {
                worker.join(LOOK_MS);
                wallNs = System.nanoTime() - startNs;
                bar.update(done(), startNs + wallNs, () -> Figures.perSecond(Figures.rate(done(), wallNs)));
            }
        }
        synchronized (this) {
            switch (failure) {
                case null -> {}
                case Error error -> throw error;
                case RuntimeException exception -> throw exception;
                default -> throw new IllegalStateException(failure);
            }
        }
    }

    private void work() {
        try {
            for (long next = next(); next >= 0; next = next()) {
                long seed = first + next;
                add(Simulation.run(seed, profile.orElseGet(() -> Simulation.profileOf(seed))));
            }
        } catch (RuntimeException | Error e) {
            fail(e);
        }
    }

    /** Which is the next, from 0; negative when there is none. */
    private synchronized long next() {
        return failure != null || stop.raised() || taken == count ? -1 : taken++;
    }

    private synchronized void add(Simulation.Report report) {
        done++;
        operations += report.operations();
        events += report.events();
        virtualNs += report.virtualNs();
    }

    private synchronized void fail(Throwable e) {
        if (failure == null) {
            failure = e;
        }
    }

    /** How many came out well. */
    public synchronized long done() {
        return done;
    }

    /** Send work they posted. */
    public synchronized long operations() {
        return operations;
    }

    /** Things that happened in them. */
    public synchronized long events() {
        return events;
    }

    /** Time that passed in them. */
    public synchronized long virtualNs() {
        return virtualNs;
    }

    /** Time that passed here. */
    public long wallNs() {
        return wallNs;
    }
}
