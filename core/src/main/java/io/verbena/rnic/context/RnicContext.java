package io.verbena.rnic.context;

import io.verbena.base.WaitPoint;
import io.verbena.engine.Endpoint;
import io.verbena.engine.RnicEngine;
import io.verbena.memory.MemoryProvider;
import io.verbena.memory.RegionTable;
import io.verbena.notify.CompletionSource;
import io.verbena.notify.Handlers;
import io.verbena.notify.SerialRunner;
import io.verbena.objects.AsyncEvents;
import io.verbena.rnic.SoftRnic;
import io.verbena.text.AddressText;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.PageFaultHandler;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VerbsException;
import io.verbena.work.EarlyMemory;
import java.net.SocketAddress;
import java.util.Collection;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The context shared by all objects of one software RNIC: its environment, engines, memory regions, events, limits, and
 * whether it is open. The objects know this context but not the {@link SoftRnic} that creates them.
 */
public final class RnicContext {

    /** Maximum time to wait for another thread that closes an object; longer than its own waits together. */
    private static final long OTHER_THREAD_S = 60;

    /** Bound of the memory for what arrives after holes, of all streams together. */
    private static final long EARLY_BYTES = 64 << 20;

    private final Rnic rnic;
    private final Environment environment;
    private final RnicOptions options;
    private final TransportLimits limits;
    private final WorkRules rules;
    private final EngineGroup engines;
    private final RegionTable regions;
    private final EarlyMemory earlyMemory = new EarlyMemory(EARLY_BYTES);
    private final MemoryProvider memory;
    private final QueuePairNumbers queuePairs = new QueuePairNumbers();
    private final Handlers handlers;
    private final DataWaits waits;
    private final AsyncEvents events;
    private final Violations violations;
    private final Overruns lostPeers = new Overruns();
    private final WaitPoint control;
    private final WaitPoint closings;
    private final Consumer<Object> onClosed;
    private volatile boolean closed;
    private volatile Optional<PageFaultHandler> pageFaultHandler = Optional.empty();
    private volatile boolean draining;
    private volatile boolean stopped;

    /**
     * The context of an RNIC that is being opened.
     *
     * @param opening parameters of the RNIC
     * @param completionQueues the CQs of the RNIC, which keeps the collection up to date
     * @param onClosed receives each object that is closed
     * @param onFailure receives an engine that has failed, and the reason
     */
    public RnicContext(
            Rnic rnic,
            Opening opening,
            Collection<? extends CompletionSource> completionQueues,
            Consumer<Object> onClosed,
            BiConsumer<RnicEngine, String> onFailure) {
        this.rnic = rnic;
        this.environment = opening.environment();
        memory = environment.memory();
        this.options = opening.options();
        this.limits = opening.limits();
        this.rules = opening.rules();
        this.onClosed = onClosed;
        handlers = new Handlers(new RnicNotification(this), Limits.handlers(options), completionQueues);
        engines = new EngineGroup(environment, options, onFailure);
        regions = new RegionTable(environment.random());
        regions.engines(engines.epochs());
        waits = new DataWaits(environment);
        events = new AsyncEvents(
                waits.newPoint(), waits::ended, new SerialRunner(environment.listenerProcessor()), environment::nowNs);
        violations = new Violations(
                options, environment.nowNs(), sentence -> report(AsyncEventType.PEER_REFUSED, rnic, sentence));
        control = environment.newWaitPoint();
        closings = environment.newHandlerWaitPoint();
    }

    // Parts.

    /** The RNIC as seen by the application. */
    public Rnic rnic() {
        return rnic;
    }

    /** The environment that drives the RNIC. */
    public Environment environment() {
        return environment;
    }

    /** The options that the RNIC was opened with. */
    public RnicOptions options() {
        return options;
    }

    public TransportLimits limits() {
        return limits;
    }

    public WorkRules rules() {
        return rules;
    }

    public EngineGroup engines() {
        return engines;
    }

    /** The memory regions by key. */
    public RegionTable regions() {
        return regions;
    }

    /** The memory of all streams for what arrives after holes. */
    public EarlyMemory earlyMemory() {
        return earlyMemory;
    }

    public MemoryProvider memory() {
        return memory;
    }

    /** One of the engines. */
    public RnicEngine engine(int index) {
        return engines.get(index);
    }

    public QueuePairNumbers queuePairs() {
        return queuePairs;
    }

    /** The endpoint of the queue pair with this number; null if there is none. Does not allocate. Any thread. */
    public @Nullable Endpoint endpoint(int number) {
        NumberedQueuePair found = queuePairs.lookUp(number);
        return found == null ? null : found.endpoint();
    }

    /** Passes on the endpoint of each queue pair. Any thread. */
    public void forEachEndpoint(Consumer<Endpoint> action) {
        for (NumberedQueuePair each : queuePairs.all()) {
            action.accept(each.endpoint());
        }
    }

    public Handlers handlers() {
        return handlers;
    }

    /** The protection violations of peers. */
    public Violations violations() {
        return violations;
    }

    public Optional<PageFaultHandler> pageFaultHandler() {
        return pageFaultHandler;
    }

    public void pageFaultHandler(PageFaultHandler handler) {
        pageFaultHandler = Optional.of(handler);
    }

    // Life cycle.

    /** Fails if the RNIC is closed. */
    public void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the RNIC is closed");
        }
    }

    /** Fails if the RNIC no longer accepts work because it is being closed. */
    public void checkTakesWork() {
        if (draining) {
            throw new IllegalStateException("the RNIC is being closed and does not accept work");
        }
    }

    /** Marks the RNIC as closed. */
    public void close() {
        closed = true;
    }

    public boolean closed() {
        return closed;
    }

    /** Rejects new work from now on. */
    public void drain() {
        draining = true;
    }

    /** Records that no engine runs any more. */
    public void stop() {
        stopped = true;
    }

    /** Whether no engine runs any more, so that commands would not be executed. Any thread. */
    public boolean stopped() {
        return stopped;
    }

    /** Removes a closed object from the RNIC. */
    public void forget(Object object) {
        onClosed.accept(object);
    }

    /** The waits of the application for data, events and peers. */
    public DataWaits waits() {
        return waits;
    }

    // Events.

    /** The asynchronous events. */
    public AsyncEvents events() {
        return events;
    }

    /** Raises an event and writes it to the system log for the operator. The caller limits the rate. */
    public void report(AsyncEventType type, Object subject, String sentence) {
        environment.notice(sentence);
        events.raise(type, subject, sentence);
    }

    /** Reports that the RNIC can no longer communicate, unless it is being closed. */
    public void fatal(String sentence) {
        if (!closed()) {
            report(AsyncEventType.RNIC_FATAL, rnic, sentence);
        }
    }

    /**
     * Logs that a silent peer was given up: the first one at once, later ones at most every ten seconds.
     *
     * @param unsuccessful number of send requests that have failed or are not complete
     */
    public void peerLost(SocketAddress peer, String sentence, long unsuccessful) {
        if (lostPeers.count(environment.nowNs())) {
            environment.notice("The connection to " + AddressText.of(peer) + " was lost. " + sentence
                    + " Send requests that did not succeed: " + unsuccessful
                    + ". Peers lost so far: " + lostPeers.total() + ".");
        }
    }

    // Waiting for other threads that close objects.

    /**
     * Waits, not interruptibly, until another thread has ended an attempt to close an object, whether or not engines
     * run. Inside a turn, which that thread may wait for, it returns at once.
     *
     * @return whether the condition holds
     * @throws VerbsException if the attempt does not end
     */
    boolean awaitClosing(BooleanSupplier ended) {
        if (engines.insideTurn()) {
            return false;
        }
        if (!closings.awaitUninterruptibly(ended, OTHER_THREAD_S * 1_000_000_000L)) {
            throw new VerbsException("Another thread began to close this object and has not ended after "
                    + OTHER_THREAD_S + " seconds.");
        }
        return true;
    }

    /** An attempt to close an object has ended. */
    void closingEnded() {
        closings.signal();
    }

    // Waiting for actions of engines.

    /** Wakes threads in {@link #await}, which check their condition again. */
    public void changed() {
        control.signal();
    }

    /**
     * Waits, not interruptibly, for a condition whose change {@link #changed} signals. Inside a turn, which would wait
     * for itself, it returns at once.
     *
     * @return whether the condition holds
     */
    public boolean await(BooleanSupplier condition, long timeoutNs) {
        return await(control, condition, timeoutNs);
    }

    /** As {@link #await(BooleanSupplier, long)}, at another wait point. */
    public boolean await(WaitPoint point, BooleanSupplier condition, long timeoutNs) {
        if (condition.getAsBoolean()) {
            return true;
        }
        if (stopped) {
            return false;
        }
        return !engines.insideTurn() && point.awaitUninterruptibly(condition, timeoutNs);
    }
}
