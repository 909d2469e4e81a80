package io.verbena.rnic;

import io.verbena.base.Digest;
import io.verbena.base.Log;
import io.verbena.base.Times;
import io.verbena.engine.RnicEngine;
import io.verbena.notify.Handlers;
import io.verbena.rnic.completion.SoftCompletionGroup;
import io.verbena.rnic.completion.SoftCompletionQueue;
import io.verbena.rnic.context.Closing;
import io.verbena.rnic.context.Environment;
import io.verbena.rnic.context.Limits;
import io.verbena.rnic.context.NumberedQueuePair;
import io.verbena.rnic.context.Opening;
import io.verbena.rnic.context.RnicContext;
import io.verbena.rnic.datagram.SoftDatagramDomain;
import io.verbena.rnic.memory.SoftAddressSpace;
import io.verbena.rnic.memory.SoftVirtualMemory;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventListener;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionGroup;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.CqHandler;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.DatagramPeer;
import io.verbena.verbs.Figures;
import io.verbena.verbs.HandlerFigures;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.PageFaultHandler;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.ReliableDatagramDomain;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicAttributes;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.Spread;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.VirtualMemory;
import io.verbena.verbs.VirtualMemoryOptions;
import java.io.IOException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * The software RNIC over one {@link Transport}. It has no thread, clock or socket of its own: its {@link Environment}
 * provides time, randomness and ports, and drives its engines. Operations that exist for one kind of port only are
 * added in a subclass by the port's module.
 */
public class SoftRnic implements Rnic {

    private final Transport transport;
    private final RnicContext context;
    private final QueuePairFactory factory;
    private final QueuePairTotals totals;
    private final AtomicInteger lastDomain = new AtomicInteger();
    private final AtomicInteger lastCompletionQueue = new AtomicInteger();
    private final Set<SoftCompletionQueue> completionQueues = ConcurrentHashMap.newKeySet();
    private final Set<SoftProtectionDomain> domains = ConcurrentHashMap.newKeySet();
    private final Set<SoftDatagramDomain> datagramDomains = ConcurrentHashMap.newKeySet();
    private final Set<SoftListener> listeners = ConcurrentHashMap.newKeySet();
    private final Set<SoftVirtualMemory> virtualMemories = ConcurrentHashMap.newKeySet();
    private final AtomicInteger memoryNumbers = new AtomicInteger();
    private final Closing closing = new Closing();

    /** Accessed by the thread that closes the RNIC. */
    private boolean closeTried;

    /**
     * An RNIC whose engines the environment drives. Create the environment first, then the RNIC, then drive {@link
     * #engine} 0 to {@link #engines} - 1. The RNIC does not call {@link Environment#wake} before the constructor
     * returns, and {@link #close} closes the environment.
     *
     * @throws VerbsException if the transport cannot be opened
     */
    public SoftRnic(Environment environment, RnicOptions options, Transport transport) {
        this.transport = transport;
        context = new RnicContext(
                this,
                new Opening(environment, options, transport.limits(), transport),
                completionQueues,
                this::forget,
                this::engineFailed);
        factory = new QueuePairFactory(context, transport);
        totals = new QueuePairTotals(context.queuePairs());
        try {
            transport.open(context);
        } catch (IOException e) {
            throw new VerbsException("The RNIC cannot be opened: " + e.getMessage(), e);
        }
    }

    /** Limits of an RNIC with this transport and these options. */
    public static RnicAttributes attributes(RnicOptions options, Transport transport) {
        return Limits.attributes(transport.limits(), Limits.handlers(options), 0);
    }

    /** Number of engines. */
    public int engines() {
        return context.engines().size();
    }

    /** An engine, 0 to {@link #engines} - 1, for the component that drives it. */
    public RnicEngine engine(int index) {
        return context.engines().get(index);
    }

    /** A hash of all state that determines the further behaviour of this RNIC. For the thread that owns all engines. */
    public long stateDigest() {
        return context.engines()
                .digest(Digest.mix(
                        context.queuePairs().size(), context.regions().stateDigest()));
    }

    @Override
    public RnicAttributes query() {
        Handlers handlers = context.handlers();
        return Limits.attributes(transport.limits(), handlers.most(), handlers.size());
    }

    @Override
    public Figures figures() {
        return new FigureSampler(context, transport.limits())
                .sample(totals.now(), completionQueues, listeners, virtualMemories);
    }

    // Objects.

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        context.checkOpen();
        SoftProtectionDomain domain = new SoftProtectionDomain(context, factory, lastDomain.incrementAndGet());
        domains.add(domain);
        return domain;
    }

    @Override
    public ReliableDatagramDomain allocateReliableDatagramDomain() {
        context.checkOpen();
        SoftDatagramDomain softDatagramDomain = transport
                .datagrams()
                .orElseThrow(() -> transport.limits().noDatagrams())
                .newDomain();
        datagramDomains.add(softDatagramDomain);
        return softDatagramDomain;
    }

    @Override
    public CompletionQueue createCompletionQueue(CompletionQueueOptions requested) {
        context.checkOpen();
        Limits.range("the capacity of a CQ", requested.capacity(), 1, Limits.COMPLETION_ENTRIES);
        Limits.available("completion queues", completionQueues.size(), Limits.COMPLETION_QUEUES);
        SoftCompletionQueue cq = new SoftCompletionQueue(context, lastCompletionQueue.incrementAndGet(), requested);
        completionQueues.add(cq);
        cq.notifier().dropRemoved(); // a thread that removed its handler concurrently did not see this CQ
        return cq;
    }

    /** Handles the failure of an engine, which has ended its endpoints. Called in the thread of the engine. */
    private void engineFailed(RnicEngine engine, String sentence) {
        context.events().raise(AsyncEventType.RNIC_FATAL, this, sentence);
        for (SoftListener listener : listeners) {
            if (listener.engine() == engine) {
                contained("closing a listener", listener::close);
            }
        }
        for (SoftQueuePair each : queuePairs()) {
            if (each.engine() == engine) {
                contained("ending a queue pair", () -> each.endpoint().crash(sentence));
            }
        }
        context.changed();
        context.waits().signal();
    }

    private static void contained(String what, Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            Log.bug(what, e);
        }
    }

    /** A snapshot of all queue pairs. */
    private List<SoftQueuePair> queuePairs() {
        List<SoftQueuePair> all = new ArrayList<>();
        for (NumberedQueuePair each : context.queuePairs().all()) {
            all.add((SoftQueuePair) each);
        }
        return all;
    }

    /** Removes a closed object. */
    private void forget(Object object) {
        switch (object) {
            case SoftQueuePair queuePair -> {
                totals.remove(queuePair);
                if (!context.closed()) {
                    context.events().forget(queuePair);
                }
            }
            case SoftCompletionQueue cq -> completionQueues.remove(cq);
            case SoftProtectionDomain domain -> domains.remove(domain);
            case SoftDatagramDomain domain -> datagramDomains.remove(domain);
            case SoftListener listener -> listeners.remove(listener);
            case SoftVirtualMemory memory -> virtualMemories.remove(memory);
            default -> throw new IllegalArgumentException("not an object of an RNIC: " + object);
        }
    }

    // Handlers.

    @Override
    public CqHandlerId setCompletionHandler(CqHandler handler) {
        return setCompletionHandler(handler, context.environment().defaultProcessor());
    }

    @Override
    public CqHandlerId setCompletionHandler(CqHandler handler, HandlerProcessor processor, HandlerOptions requested) {
        return context.handlers()
                .add(Collections.singletonList(handler), processor, requested)
                .getFirst();
    }

    @Override
    public List<CqHandlerId> setCompletionHandlers(
            List<CqHandler> several, HandlerProcessor processor, HandlerOptions requested) {
        return context.handlers().add(several, processor, requested);
    }

    @Override
    public void modifyCompletionHandler(CqHandlerId id, HandlerOptions requested) {
        context.handlers()
                .get(id)
                .options(Objects.requireNonNull(requested, "the options of a CQ handler must not be null"));
    }

    @Override
    public HandlerFigures queryCompletionHandler(CqHandlerId id) {
        return context.handlers().get(id).figures();
    }

    @Override
    public CompletionGroup createCompletionGroup(
            int capacity, CqHandler handler, List<? extends HandlerProcessor> processors, Spread spread) {
        return new SoftCompletionGroup(context, capacity, handler, processors, spread);
    }

    @Override
    public void replaceCompletionHandler(CqHandlerId id, CqHandler handler) {
        context.handlers().get(id).replace(Handlers.check(handler));
    }

    @Override
    public void removeCompletionHandler(CqHandlerId id) {
        context.handlers().remove(id);
    }

    // Connections.

    @Override
    public Listener listen(SocketAddress address, ListenOptions requested) throws IOException {
        context.checkOpen();
        SoftListener listener = transport.listen(context, address, requested);
        listeners.add(listener);
        return listener;
    }

    @Override
    public DatagramPeer lookUp(SocketAddress service, ConnectionOptions options) throws ConnectionException {
        context.checkOpen();
        return transport
                .datagrams()
                .orElseThrow(() -> transport.limits().noDatagrams())
                .lookUp(service, options);
    }

    @Override
    public Connection startConnect(QueuePair queuePair, SocketAddress remote, ConnectionOptions requested) {
        context.checkOpen();
        return transport.connect(SoftQueuePair.of(queuePair, context), remote, requested);
    }

    // Paging.

    @Override
    public VirtualMemory openVirtualMemory(VirtualMemoryOptions requested) {
        context.checkOpen();
        SoftVirtualMemory softVirtualMemory =
                new SoftVirtualMemory(context, requested, memoryNumbers.incrementAndGet());
        virtualMemories.add(softVirtualMemory);
        return softVirtualMemory;
    }

    @Override
    public void onPageFault(PageFaultHandler handler) {
        context.pageFaultHandler(handler);
        for (SoftVirtualMemory memory : virtualMemories) {
            memory.addressSpaces().forEach(space -> ((SoftAddressSpace) space).defaultHandler(handler));
        }
    }

    // Events and progress.

    @Override
    public void onAsyncEvent(AsyncEventListener listener) {
        context.events().listener(listener);
    }

    @Override
    public List<AsyncEvent> pollAsyncEvents(Duration timeout) {
        return context.events().poll(Times.nanos(timeout));
    }

    @Override
    public int progress() {
        return context.closed() ? 0 : context.environment().progress();
    }

    @Override
    public int progress(Duration timeout) {
        return context.closed() ? 0 : context.environment().progress(Times.nanos(timeout));
    }

    @Override
    public int progress(Duration timeout, BooleanSupplier seen) {
        return context.closed() ? 0 : context.environment().progress(Times.nanos(timeout), seen);
    }

    @Override
    public void release() {
        if (!context.closed()) {
            context.environment().release();
        }
    }

    @Override
    public void wakeup() {
        if (!context.closed()) {
            context.environment().wakeup();
        }
    }

    @Override
    public void adopt() {
        context.environment().adopt();
    }

    // Closing.

    /**
     * Closes the RNIC once, also if that fails; other threads return when it is closed. A callback that the closing
     * thread waits for returns at once.
     */
    @Override
    public void close() {
        closing.close(context, this::mayAwaitClose, context::close, this::closeOnce);
    }

    private boolean mayAwaitClose() {
        return !context.environment().closeAwaitsCaller() && !context.handlers().anyRunsHere();
    }

    private void closeOnce() {
        if (!closeTried) {
            closeTried = true;
            closeNow();
        }
    }

    private void closeNow() {
        try {
            for (SoftListener listener : listeners) {
                listener.close();
            }
            new Farewell(context, queuePairs(), completionQueues, transport).endConnections(datagramDomains);
        } finally {
            // Also after the failure of an engine, or when a thread closes an INLINE RNIC that another thread owns:
            // handlers must stop, and sockets must be closed.
            // Before handlers are waited for, because a handler may itself wait for data.
            context.waits().end();
            try {
                context.handlers().close();
            } finally {
                context.environment().close(); // if it throws, an engine may still run: memory in use is not released
                shutDown();
            }
        }
    }

    private void shutDown() {
        context.stop();
        context.engines().shutDown("The RNIC was closed.");
        context.changed();
        for (SoftProtectionDomain domain : domains) {
            domain.closeAll();
        }
        // The memory of regions is released, so that no peer accesses it any more.
        for (SoftQueuePair each : queuePairs()) {
            if (each.endpoint().awaitsPeer()) {
                contained("flushing a queue pair", each.endpoint()::retryFlush);
            }
        }
        Optional<VerbsException> failure = Optional.empty();
        for (SoftVirtualMemory memory : virtualMemories) {
            try {
                memory.close();
            } catch (VerbsException e) {
                failure = Optional.of(e);
            }
        }
        if (failure.isPresent()) {
            throw failure.get();
        }
    }

    @Override
    public void close(Duration grace) {
        long deadlineNs = context.environment().nowNs() + Times.nanos(grace);
        context.drain();
        new Farewell(context, queuePairs(), completionQueues, transport).gracefully(deadlineNs);
        close();
    }

    /** The context shared by all objects of this RNIC. */
    public final RnicContext context() {
        return context;
    }
}
