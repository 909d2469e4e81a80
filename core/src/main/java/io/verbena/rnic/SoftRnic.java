package io.verbena.rnic;

import io.verbena.base.Digest;
import io.verbena.base.Log;
import io.verbena.base.Times;
import io.verbena.base.WaitPoint;
import io.verbena.engine.RnicEngine;
import io.verbena.memory.MemoryProvider;
import io.verbena.memory.OffHeapMemory;
import io.verbena.memory.RegionTable;
import io.verbena.notify.Handlers;
import io.verbena.port.Addresses;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventListener;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionGroup;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.CqHandler;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerFigures;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.PageFaultHandler;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicAttributes;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.Spread;
import io.verbena.verbs.VirtualMemory;
import io.verbena.verbs.VirtualMemoryOptions;
import java.io.IOException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * The software RNIC, over one {@link Transport}. It has no thread, clock or socket of its own: its {@link Environment} gives
 * time, randomness and ports, and drives its engines. What only one kind of port has, its owner adds in a subclass.
 */
public class SoftRnic implements Rnic {

    private final Environment environment;
    private final RnicOptions options;
    private final Transport transport;
    private final EngineGroup engines;
    private final RegionTable regions;
    private final MemoryProvider memory = new OffHeapMemory();
    private final QueuePairNumbers queuePairs = new QueuePairNumbers();
    private final Handlers handlers;
    private final AsyncEvents events;
    private final Violations violations;
    private final Overruns lostPeers = new Overruns();
    private final WaitPoint control;
    private final AtomicInteger lastDomain = new AtomicInteger();
    private final AtomicInteger lastCompletionQueue = new AtomicInteger();
    private final Set<SoftCompletionQueue> completionQueues = ConcurrentHashMap.newKeySet();
    private final Set<SoftProtectionDomain> domains = ConcurrentHashMap.newKeySet();
    private final Set<SoftListener> listeners = ConcurrentHashMap.newKeySet();
    private final Set<SoftVirtualMemory> virtualMemories = ConcurrentHashMap.newKeySet();
    private volatile Optional<PageFaultHandler> pageFaultHandler = Optional.empty();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean draining;
    private volatile boolean stopped;

    /**
     * An RNIC whose engines the environment drives. Make the environment first, then the RNIC, then drive {@link #engine} 0
     * to {@link #engines} - 1. The RNIC does not call {@link Environment#wake} before this returns, and {@link #close}
     * closes the environment.
     */
    public SoftRnic(Environment environment, RnicOptions options, Transport transport) {
        this.environment = environment;
        this.options = options;
        this.transport = transport;
        handlers = new Handlers(new RnicNotification(this), Limits.handlers(options), completionQueues);
        engines = new EngineGroup(environment, options, this::engineFailed);
        regions = new RegionTable(environment.random());
        regions.engines(engines.epochs());
        events = new AsyncEvents(environment);
        violations = new Violations(
                options, environment.nowNs(), sentence -> report(AsyncEventType.PEER_REFUSED, this, sentence));
        control = environment.newWaitPoint();
    }

    /** Limits of an RNIC of this transport with these options. */
    public static RnicAttributes attributes(RnicOptions options, Transport transport) {
        return Limits.attributes(transport.limits(), Limits.handlers(options), 0);
    }

    /** Number of engines. */
    public int engines() {
        return engines.size();
    }

    /** An engine, 0 to {@link #engines} - 1, for who drives it. */
    public RnicEngine engine(int index) {
        return engines.get(index);
    }

    /** A hash of everything that decides how this RNIC goes on; for the thread that owns all engines. */
    public long stateDigest() {
        return engines.digest(Digest.mix(queuePairs.size(), regions.stateDigest()));
    }

    @Override
    public RnicAttributes query() {
        return Limits.attributes(transport.limits(), handlers.most(), handlers.size());
    }

    // Objects.

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        checkOpen();
        SoftProtectionDomain domain = new SoftProtectionDomain(this, lastDomain.incrementAndGet());
        domains.add(domain);
        return domain;
    }

    @Override
    public CompletionQueue createCompletionQueue(CompletionQueueOptions wanted) {
        checkOpen();
        Limits.range("the capacity of a CQ", wanted.capacity(), 1, Limits.COMPLETION_ENTRIES);
        Limits.room("completion queues", completionQueues.size(), Limits.COMPLETION_QUEUES);
        SoftCompletionQueue cq = new SoftCompletionQueue(this, wanted);
        completionQueues.add(cq);
        cq.notifier().dropRemoved(); // whoever removed its handler meanwhile did not see this CQ
        return cq;
    }

    /** Create QP, for a protection domain of this RNIC. */
    SoftQueuePair newQueuePair(SoftProtectionDomain domain, QueuePairOptions wanted) {
        checkOptions(wanted);
        Limits.room("queue pairs", queuePairs.size(), Limits.QUEUE_PAIRS);
        SoftCompletionQueue sendCq = mine(wanted.sendCq());
        SoftCompletionQueue receiveCq = mine(wanted.receiveCq());
        Optional<SoftSharedReceiveQueue> shared = wanted.sharedReceiveQueue().map(srq -> mine(srq, domain));
        RnicEngine engine =
                shared.map(SoftSharedReceiveQueue::engine).orElseGet(() -> engines.forQueues(sendCq, receiveCq));
        sendCq.checkOpen();
        receiveCq.checkOpen();
        shared.ifPresent(SoftSharedReceiveQueue::use);
        CqSide sendSide = sendCq.use(engine.index());
        CqSide receiveSide = receiveCq.use(engine.index());
        synchronized (queuePairs) {
            SoftQueuePair made = new SoftQueuePair(
                    domain, engine, queuePairs.unused(environment.random()), wanted, shared, sendSide, receiveSide);
            queuePairs.add(made);
            return made;
        }
    }

    /** An engine of this RNIC has failed; it has ended its endpoints. In its thread. */
    private void engineFailed(RnicEngine engine, String sentence) {
        events.raise(AsyncEventType.RNIC_FATAL, this, sentence);
        for (SoftListener listener : listeners) {
            if (listener.engine() == engine) {
                contained("closing a listener", listener::close);
            }
        }
        for (SoftQueuePair each : queuePairs.all()) {
            if (each.engine() == engine) {
                contained("ending a queue pair", () -> each.endpoint().crash(sentence));
            }
        }
        changed();
    }

    private static void contained(String what, Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            Log.bug(what, e);
        }
    }

    private void checkOptions(QueuePairOptions wanted) {
        TransportLimits limits = transport.limits();
        if (!limits.services().contains(wanted.service())) {
            throw new UnsupportedOperationException("The transport " + limits.provider() + " has no service "
                    + wanted.service() + "; it has " + limits.services() + ".");
        }
        Limits.range("sendDepth", wanted.sendDepth(), 1, Limits.WORK_REQUESTS);
        Limits.range("receiveDepth", wanted.receiveDepth(), 1, Limits.WORK_REQUESTS);
        Limits.range("maxGather", wanted.maxGather(), 0, Limits.ELEMENTS);
        Limits.range("maxScatter", wanted.maxScatter(), 0, Limits.ELEMENTS);
        Limits.range("maxInlineBytes", wanted.maxInlineBytes(), 0, Limits.INLINE_BYTES);
        Limits.range("inboundReads", wanted.inboundReads(), 0, limits.reads());
        Limits.range("outboundReads", wanted.outboundReads(), 0, limits.reads());
        transport.checkOptions(wanted);
    }

    private SoftCompletionQueue mine(CompletionQueue cq) {
        if (cq instanceof SoftCompletionQueue soft && soft.rnic() == this) {
            return soft;
        }
        throw new IllegalArgumentException("the completion queue was not made by this RNIC");
    }

    private SoftSharedReceiveQueue mine(SharedReceiveQueue srq, SoftProtectionDomain domain) {
        if (srq instanceof SoftSharedReceiveQueue soft && soft.protectionDomain() == domain) {
            return soft;
        }
        throw new IllegalArgumentException("the shared receive queue was not made in this protection domain");
    }

    /** A queue pair of this RNIC. */
    public SoftQueuePair mine(QueuePair queuePair) {
        if (queuePair instanceof SoftQueuePair soft && soft.rnic() == this) {
            return soft;
        }
        throw new IllegalArgumentException("the queue pair was not made by this RNIC");
    }

    /** A CQ has other rings on an engine: queue pairs there that complete on it go to them. On that engine. */
    void refreshRings(SoftCompletionQueue cq, RnicEngine engine) {
        for (SoftQueuePair each : queuePairs.all()) {
            if (each.engine() == engine && (each.sendCq() == cq || each.receiveCq() == cq)) {
                each.endpoint().refreshRings();
            }
        }
    }

    // Handlers.

    @Override
    public CqHandlerId setCompletionHandler(CqHandler handler) {
        return setCompletionHandler(handler, environment.defaultProcessor());
    }

    @Override
    public CqHandlerId setCompletionHandler(CqHandler handler, HandlerProcessor processor, HandlerOptions wanted) {
        return handlers.add(Collections.singletonList(handler), processor, wanted)
                .getFirst();
    }

    @Override
    public List<CqHandlerId> setCompletionHandlers(
            List<CqHandler> several, HandlerProcessor processor, HandlerOptions wanted) {
        return handlers.add(several, processor, wanted);
    }

    @Override
    public void modifyCompletionHandler(CqHandlerId id, HandlerOptions wanted) {
        handlers.get(id).options(Objects.requireNonNull(wanted, "the options of a CQ handler must not be null"));
    }

    @Override
    public HandlerFigures queryCompletionHandler(CqHandlerId id) {
        return handlers.get(id).figures();
    }

    @Override
    public CompletionGroup createCompletionGroup(
            int capacity, CqHandler handler, List<? extends HandlerProcessor> processors, Spread spread) {
        return new SoftCompletionGroup(this, capacity, handler, processors, spread);
    }

    @Override
    public void replaceCompletionHandler(CqHandlerId id, CqHandler handler) {
        handlers.get(id).replace(Handlers.check(handler));
    }

    @Override
    public void removeCompletionHandler(CqHandlerId id) {
        handlers.remove(id);
    }

    // Connections.

    @Override
    public Listener listen(SocketAddress address, ListenOptions wanted) throws IOException {
        checkOpen();
        SoftListener listener = transport.listen(this, address, wanted);
        listeners.add(listener);
        return listener;
    }

    @Override
    public Connection startConnect(QueuePair queuePair, SocketAddress remote, ConnectionOptions wanted) {
        checkOpen();
        return transport.connect(mine(queuePair), remote, wanted);
    }

    // Paging.

    @Override
    public VirtualMemory openVirtualMemory(VirtualMemoryOptions wanted) {
        checkOpen();
        SoftVirtualMemory made = new SoftVirtualMemory(this, wanted);
        virtualMemories.add(made);
        return made;
    }

    void virtualMemoryClosed(SoftVirtualMemory memory) {
        virtualMemories.remove(memory);
    }

    @Override
    public void onPageFault(PageFaultHandler handler) {
        pageFaultHandler = Optional.of(handler);
        for (SoftVirtualMemory memory : virtualMemories) {
            memory.addressSpaces().forEach(space -> ((SoftAddressSpace) space).defaultHandler(handler));
        }
    }

    Optional<PageFaultHandler> pageFaultHandler() {
        return pageFaultHandler;
    }

    // Events and progress.

    @Override
    public void onAsyncEvent(AsyncEventListener listener) {
        events.listener(listener);
    }

    @Override
    public List<AsyncEvent> pollAsyncEvents(Duration timeout) {
        return events.poll(Times.nanos(timeout));
    }

    @Override
    public int progress() {
        return closed.get() ? 0 : environment.progress();
    }

    @Override
    public int progress(Duration timeout) {
        return closed.get() ? 0 : environment.progress(Times.nanos(timeout));
    }

    @Override
    public void adopt() {
        environment.adopt();
    }

    // Its end.

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            for (SoftListener listener : listeners) {
                listener.close();
            }
            new Farewell(this, queuePairs.all(), completionQueues).endConnections();
        } finally {
            // Also when an engine has failed, or a thread closes an INLINE RNIC that is not its own: handlers must not
            // run, and sockets must not stay.
            try {
                handlers.close();
            } finally {
                environment.close(); // when it throws, an engine may still run: what it uses is kept
                shutDown();
            }
        }
    }

    private void shutDown() {
        stopped = true;
        engines.shutDown("The RNIC was closed.");
        control.signal();
        for (SoftProtectionDomain domain : domains) {
            domain.closeAll();
        }
        for (SoftVirtualMemory memory : virtualMemories) {
            memory.close();
        }
    }

    @Override
    public void close(Duration grace) {
        long deadlineNs = environment.nowNs() + Times.nanos(grace);
        draining = true;
        new Farewell(this, queuePairs.all(), completionQueues).inGoodOrder(deadlineNs);
        close();
    }

    /** Refuses work once the RNIC closes in good order. */
    void checkTakesWork() {
        if (draining) {
            throw new IllegalStateException("the RNIC is being closed and takes no more work");
        }
    }

    /** Whether {@link #close} was called. */
    boolean closed() {
        return closed.get();
    }

    /** Whether no engine runs any more. */
    boolean stopped() {
        return stopped;
    }

    public final void checkOpen() {
        if (closed.get()) {
            throw new IllegalStateException("the RNIC is closed");
        }
    }

    void queuePairClosed(SoftQueuePair queuePair) {
        synchronized (queuePairs) {
            queuePairs.remove(queuePair);
        }
        if (!closed.get()) {
            events.forget(queuePair);
        }
    }

    int nextCompletionQueueNumber() {
        return lastCompletionQueue.incrementAndGet();
    }

    void cqClosed(SoftCompletionQueue cq) {
        completionQueues.remove(cq);
    }

    void domainClosed(SoftProtectionDomain domain) {
        domains.remove(domain);
    }

    void listenerClosed(SoftListener listener) {
        listeners.remove(listener);
    }

    // Waiting for what engines do.

    /** Something happened that {@link #await} may be waiting for. */
    public final void changed() {
        control.signal();
    }

    /**
     * Waits, whatever interrupts, for something that {@link #changed} tells; not inside a turn, which would wait for itself.
     */
    public final boolean await(BooleanSupplier condition, long timeoutNs) {
        return await(control, condition, timeoutNs);
    }

    /** The same at another place. */
    boolean await(WaitPoint point, BooleanSupplier condition, long timeoutNs) {
        if (condition.getAsBoolean()) {
            return true;
        }
        if (stopped) {
            return false;
        }
        return !engines.insideTurn() && point.awaitUninterruptibly(condition, timeoutNs);
    }

    /** The transport of its queue pairs. */
    Transport transport() {
        return transport;
    }

    /** What drives it. */
    public final Environment environment() {
        return environment;
    }

    /** The options that it was opened with. */
    public final RnicOptions options() {
        return options;
    }

    /** Its memory regions by their keys. */
    public final RegionTable regions() {
        return regions;
    }

    MemoryProvider memory() {
        return memory;
    }

    QueuePairNumbers queuePairs() {
        return queuePairs;
    }

    /** Its engines. */
    EngineGroup engineGroup() {
        return engines;
    }

    Handlers handlers() {
        return handlers;
    }

    /** What peers did that they may not. */
    public final Violations violations() {
        return violations;
    }

    /** Its asynchronous events. */
    public final AsyncEvents events() {
        return events;
    }

    /** A peer was given up for its silence: a line in the log for the first, and then every ten seconds while more follow. */
    public final void peerLost(SocketAddress peer, String sentence) {
        if (lostPeers.count(environment.nowNs())) {
            environment.notice("The connection to " + Addresses.text(peer) + " was lost. " + sentence
                    + " Peers lost so far: " + lostPeers.total() + ".");
        }
    }

    /** Tells an event that an operator should find in the log as well. Whoever calls it sees to it that it is rare. */
    public final void report(AsyncEventType type, Object subject, String sentence) {
        environment.notice(sentence);
        events.raise(type, subject, sentence);
    }
}
