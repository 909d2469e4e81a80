package io.verbena.host.processor;

import io.verbena.host.engine.EngineThread;
import io.verbena.host.engine.SpinBudget;
import io.verbena.host.system.Pinning;
import io.verbena.host.system.Threads;
import io.verbena.host.system.Urgency;
import io.verbena.notify.HandlerArbiter;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.EventAddress;
import io.verbena.verbs.EventSource;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.ProcessorOptions;
import io.verbena.verbs.VerbsException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * A handler processor with a platform thread, bound to cores or not. It serves signalled handlers, spins briefly when
 * idle (see {@link SpinBudget}), then parks. Signals to a running thread cost no system call, and no signal is lost, by
 * the pattern described at {@link EngineThread}.
 */
public final class ProcessorThread implements HandlerProcessor {

    private static final VarHandle PARKED;

    static {
        try {
            PARKED = MethodHandles.lookup().findVarHandle(ProcessorThread.class, "parked", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final int EVENTS_A_ROUND = 64;
    private static final long CLOSE_NS = 10_000_000_000L;

    private final String name;
    private final ProcessorOptions options;
    private final HandlerArbiter arbiter;
    private final SpinBudget spin = new SpinBudget();
    private final CountDownLatch bound = new CountDownLatch(1);
    private final Thread thread;

    /** A real-time thread that spins would keep its core from the very engine it waits for, whatever it offers. */
    private boolean spins = true;

    private volatile boolean parked;
    private volatile boolean stopping;
    private volatile String note = "";
    private volatile Set<Integer> boundTo = Set.of();

    /** Started. */
    public ProcessorThread(ProcessorOptions options) {
        this.options = options;
        name = options.name();
        arbiter = new HandlerArbiter(name, options.policy(), this::wake, Threads::uncaught);
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void signal(CqHandlerId handler, Runnable work) {
        arbiter.notice(() -> {
            try {
                work.run();
            } finally {
                Thread.interrupted();
            }
        });
    }

    @Override
    public Optional<EventAddress> attach(CqHandlerId handler, HandlerOptions options, EventSource source) {
        return Optional.of(arbiter.attach(handler, options, new Calmed(source)));
    }

    /**
     * A handler that leaves the interrupt status of its thread set leaves it neither to the next handler nor to the
     * park.
     */
    private record Calmed(EventSource source) implements EventSource {

        @Override
        public boolean serve() {
            try {
                return source.serve();
            } finally {
                Thread.interrupted();
            }
        }

        @Override
        public void abandon() {
            source.abandon();
        }
    }

    @Override
    public Set<Integer> cores() {
        awaitBound();
        return boundTo;
    }

    @Override
    public String note() {
        awaitBound();
        return note;
    }

    private void awaitBound() {
        boolean interrupted = false;
        while (true) {
            try {
                bound.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void wake() {
        VarHandle.fullFence();
        if (parked && PARKED.compareAndSet(this, true, false)) {
            LockSupport.unpark(thread);
        }
    }

    private void run() {
        try {
            note = settle();
            bound.countDown();
            while (!stopping) {
                serve();
            }
        } catch (Throwable e) {
            note = "The handler processor '" + name + "' has failed: " + e;
            thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
        } finally {
            bound.countDown();
            arbiter.close();
        }
    }

    /** Binds the calling thread and raises its priority as requested. Returns what could not be satisfied. */
    private String settle() {
        String unbound = Pinning.bind("A handler processor", options.cores());
        boundTo = unbound.isEmpty() ? options.cores() : Set.of();
        if (!options.urgent()) {
            return unbound;
        }
        Urgency.Outcome outcome = Urgency.raise();
        spins = !outcome.realTime();
        return (unbound + " " + outcome.note()).strip();
    }

    /** From work to the end of the next park. */
    private void serve() {
        while (arbiter.run(EVENTS_A_ROUND, System::nanoTime) > 0) {
            if (stopping) {
                return;
            }
        }
        long idleSinceNs = System.nanoTime();
        long nowNs = idleSinceNs;
        while (spins && nowNs - idleSinceNs < spin.spinNs(nowNs)) {
            if (arbiter.rung() || stopping) {
                spin.onCaught();
                return;
            }
            nowNs = SpinBudget.pause();
        }
        park(nowNs);
    }

    private void park(long nowNs) {
        parked = true;
        VarHandle.fullFence();
        while (parked && !stopping && !arbiter.rung()) {
            LockSupport.park(this);
            Thread.interrupted(); // an interrupt from outside: with its status set no park would wait
        }
        parked = false;
        spin.onParked(System.nanoTime() - nowNs);
    }

    /** Whether it is this thread. */
    @SuppressWarnings("ReferenceEquality") // threads have no other equality
    public boolean is(Thread other) {
        return other == thread;
    }

    @Override
    public void close() {
        if (!close(CLOSE_NS)) {
            throw new VerbsException(
                    "The handler processor '" + name + "' is closed, but a handler still runs on it after 10 seconds.");
        }
    }

    /** Ends the processor; returns false if a handler did not return in time. A handler may call this. */
    public boolean close(long timeoutNs) {
        stopping = true;
        arbiter.close();
        wake();
        return Threads.join(thread, timeoutNs);
    }

    @Override
    public String toString() {
        return name;
    }
}
