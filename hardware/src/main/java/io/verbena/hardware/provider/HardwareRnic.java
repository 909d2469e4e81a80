package io.verbena.hardware.provider;

import io.verbena.base.Times;
import io.verbena.base.WaitPoint;
import io.verbena.hardware.abi.IbvContext;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.provider.device.Adapter;
import io.verbena.hardware.provider.device.AdapterFacts;
import io.verbena.hardware.provider.device.EventLoop;
import io.verbena.hardware.provider.device.Waiting;
import io.verbena.hardware.provider.request.IdTable;
import io.verbena.hardware.provider.request.SharedSlots;
import io.verbena.live.LiveRnics;
import io.verbena.notify.Handlers;
import io.verbena.notify.NotificationHost;
import io.verbena.notify.SerialRunner;
import io.verbena.objects.AsyncEvents;
import io.verbena.text.AddressText;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventListener;
import io.verbena.verbs.AsyncEventType;
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
import io.verbena.verbs.ProcessorOptions;
import io.verbena.verbs.Progress;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.RnicAttributes;
import io.verbena.verbs.RnicFigures;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WorkOpcode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** An RNIC whose work an adapter does. */
final class HardwareRnic implements AdapterContext, NotificationHost {

    private static final long PROGRESS_NS = 1_000_000;

    /** Time between two looks for events by {@link #progress()}. */
    private static final long TURN_EVERY_NS = 10_000;

    private final Adapter adapter;
    private final RnicAttributes attributes;

    /** A set of bits, because every post looks at it. */
    private final EnumSet<WorkOpcode> operations;

    private final boolean inline;
    private final EventLoop loop;
    private final HandlerProcessor processor;
    private final AsyncEvents events;
    private final Handlers handlers;
    private final CompletionChannels channels;
    private final AsyncEventReader asyncEvents;
    private final ConnectionManager connections;
    private final CopyOnWriteArrayList<HardwareCompletionQueue> completionQueues = new CopyOnWriteArrayList<>();
    private final CopyOnWriteArrayList<HardwareDomain> domains = new CopyOnWriteArrayList<>();
    private final QueuePairTable queuePairs = new QueuePairTable();
    private final IdTable<SharedReceives> sharedQueues = new IdTable<>(SharedReceives.class);
    private final AtomicInteger cqNumbers = new AtomicInteger();
    private final AtomicBoolean woken = new AtomicBoolean();
    private final WaitPoint progressing;

    /** When {@link #progress()} has looked for events last. */
    private long turnedNs = System.nanoTime() - TURN_EVERY_NS;

    /** For other processes; nothing before the RNIC is open. */
    private volatile LiveRnics.Shown shown = () -> {};

    private volatile boolean closed;

    private HardwareRnic(Adapter adapter, RnicOptions options, EventLoop loop, HandlerProcessor processor) {
        this.adapter = adapter;
        this.loop = loop;
        this.processor = processor;
        attributes = adapter.facts().attributes(0);
        operations = EnumSet.copyOf(attributes.operations());
        inline = options.progress() == Progress.INLINE;
        progressing = newWaitPoint();
        events = new AsyncEvents(newWaitPoint(), this::closed, newRunner(), System::nanoTime);
        handlers = new Handlers(this, AdapterFacts.HANDLERS, completionQueues);
        channels = new CompletionChannels(adapter, loop);
        asyncEvents = new AsyncEventReader(this, adapter);
        loop.add(Native.intAt(adapter.context() + IbvContext.ASYNC_FD), asyncEvents::read);
        connections = new ConnectionManager(this, loop);
    }

    /** An RNIC over an open adapter; if that fails, its threads end, and the adapter remains the caller's. */
    static HardwareRnic open(Adapter adapter, RnicOptions options) {
        boolean inline = options.progress() == Progress.INLINE;
        EventLoop loop =
                new EventLoop(inline ? "" : "verbena-" + adapter.facts().name());
        HandlerProcessor processor = HandlerProcessor.open(ProcessorOptions.thread("verbena-handlers"));
        boolean opened = false;
        try {
            HardwareRnic rnic = new HardwareRnic(adapter, options, loop, processor);
            rnic.shown = LiveRnics.add(rnic);
            opened = true;
            return rnic;
        } finally {
            if (!opened) {
                loop.close();
                processor.close();
            }
        }
    }

    /** The adapter counts the work, and tells no program: there are only states and peers. */
    @Override
    public Figures figures() {
        List<PostedWork> all = queuePairs.all();
        Figures.Builder figures = Figures.of("rnic")
                .text("provider", AdapterFacts.PROVIDER)
                .text("device", facts().name())
                .text("transport", attributes.transport())
                .text("state", closed ? "CLOSED" : "OPEN")
                .value(RnicFigures.QUEUE_PAIRS, all.size());
        events.showCounts(figures);
        all.forEach(each -> figures.part(figures(each)));
        events.showPast(figures);
        return figures.build();
    }

    private static Figures figures(PostedWork queuePair) {
        Figures.Builder figures = Figures.of("queue_pair")
                .identity("number", "0x" + HexFormat.of().toHexDigits(queuePair.number(), 6))
                .text("state", queuePair.state())
                .text("service", queuePair.service());
        queuePair
                .connection()
                .ifPresent(connection -> figures.text("connection", connection.state())
                        .text("peer", AddressText.of(connection.remoteAddress())));
        return figures.build();
    }

    // For the package.

    @Override
    public Adapter adapter() {
        return adapter;
    }

    @Override
    public AdapterFacts facts() {
        return adapter.facts();
    }

    @Override
    public Set<WorkOpcode> operations() {
        return operations;
    }

    @Override
    public Handlers handlers() {
        return handlers;
    }

    @Override
    public WaitPoint newWaitPoint() {
        return new Waiting(loop, inline);
    }

    @Override
    public SerialRunner newRunner() {
        return new SerialRunner(processor);
    }

    @Override
    public void raise(AsyncEvent event) {
        events.raise(event);
    }

    @Override
    public void readAsyncEvents() {
        asyncEvents.read();
    }

    @Override
    public boolean closed() {
        return closed;
    }

    @Override
    public void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the RNIC is closed");
        }
    }

    @Override
    public int add(SharedReceives queue) {
        return sharedQueues.add(queue);
    }

    @Override
    public int add(PostedWork queuePair) {
        return queuePairs.add(queuePair);
    }

    @Override
    public void renumbered() {
        queuePairs.renumbered();
    }

    @Override
    public @Nullable PostedWork queuePair(int id) {
        return queuePairs.find(id);
    }

    @Override
    public @Nullable PostedWork withNumber(int number) {
        return queuePairs.withNumber(number);
    }

    @Override
    public @Nullable SharedSlots sharedSlots(int id) {
        SharedReceives found = sharedQueues.find(id);
        return found == null ? null : found.slots();
    }

    @Override
    public void forget(SharedReceives queue) {
        sharedQueues.remove(queue.id());
    }

    @Override
    public void forget(PostedWork queuePair) {
        queuePairs.remove(queuePair.id());
    }

    @Override
    public void forget(CompletionQueue cq) {
        if (cq instanceof HardwareCompletionQueue hardwareCompletionQueue
                && completionQueues.remove(hardwareCompletionQueue)) {
            channels.remove(hardwareCompletionQueue);
        }
    }

    @Override
    public void forget(ProtectionDomain domain) {
        domains.remove(domain);
    }

    List<HardwareCompletionQueue> completionQueues() {
        return completionQueues;
    }

    QueuePairTable queuePairs() {
        return queuePairs;
    }

    IdTable<SharedReceives> sharedQueues() {
        return sharedQueues;
    }

    /** A CQ has lost entries: the queue pairs that complete there have failed. */
    void overflowed(HardwareCompletionQueue cq) {
        queuePairs.all().stream()
                .filter(each -> each.sendCq() == cq || each.receiveCq() == cq)
                .forEach(each -> each.fail("A completion queue of the queue pair has overflowed."));
    }

    /** The device has failed, or was removed while in use: work is flushed, and no request arrives any more. */
    void failed() {
        queuePairs.all().forEach(each -> each.adapterFailed());
        connections.closeListeners();
    }

    @Override
    public ConnectionManager connections() {
        return connections;
    }

    @Override
    public byte[] pathOf(InetAddress group) {
        return queuePairs.all().stream()
                .flatMap(each -> each.path(group).stream())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("The subnet manager states the path to the group "
                        + group.getHostAddress()
                        + " to members only; join the group with a queue pair of this RNIC first."));
    }

    @Override
    public void after(long timeNs, Runnable work) {
        connections.after(timeNs, work);
    }

    // The verbs.

    @Override
    public RnicAttributes query() {
        return adapter.facts().attributes(handlers.size());
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        checkOpen();
        HardwareDomain domain = new HardwareDomain(this);
        domains.add(domain);
        return domain;
    }

    @Override
    public CompletionQueue createCompletionQueue(CompletionQueueOptions options) {
        checkOpen();
        HardwareCompletionQueue cq = channels.create(this, cqNumbers.incrementAndGet(), options);
        completionQueues.add(cq);
        cq.handler(options.handler());
        return cq;
    }

    @Override
    public CqHandlerId setCompletionHandler(CqHandler handler) {
        return setCompletionHandler(handler, processor);
    }

    @Override
    public CqHandlerId setCompletionHandler(CqHandler handler, HandlerProcessor on, HandlerOptions options) {
        return handlers.add(List.of(handler), on, options).getFirst();
    }

    @Override
    public List<CqHandlerId> setCompletionHandlers(
            List<CqHandler> wanted, HandlerProcessor on, HandlerOptions options) {
        return handlers.add(wanted, on, options);
    }

    @Override
    public void modifyCompletionHandler(CqHandlerId id, HandlerOptions options) {
        handlers.get(id).options(options);
    }

    @Override
    public HandlerFigures queryCompletionHandler(CqHandlerId id) {
        return handlers.get(id).figures();
    }

    @Override
    public void replaceCompletionHandler(CqHandlerId id, CqHandler handler) {
        handlers.get(id).replace(Handlers.check(handler));
    }

    @Override
    public void removeCompletionHandler(CqHandlerId id) {
        handlers.remove(id);
    }

    @Override
    public Listener listen(SocketAddress address, ListenOptions options) throws IOException {
        checkOpen();
        return HardwareListener.open(connections, address, options);
    }

    @Override
    public Connection startConnect(QueuePair queuePair, SocketAddress remote, ConnectionOptions options) {
        checkOpen();
        return HardwareConnection.start(connections, HardwareQueuePair.unused(queuePair, this), remote, options);
    }

    @Override
    public DatagramPeer lookUp(SocketAddress service, ConnectionOptions options) throws ConnectionException {
        checkOpen();
        return ServiceLookUp.run(connections, service, options);
    }

    @Override
    public void onAsyncEvent(AsyncEventListener listener) {
        events.listener(listener);
    }

    @Override
    public List<AsyncEvent> pollAsyncEvents(Duration timeout) {
        return events.poll(Times.nanos(timeout));
    }

    /** Looking for events is a system call: a thread that polls a CQ or memory makes one in ten microseconds, not one for each look. */
    @Override
    public int progress() {
        if (!inline) {
            return 0;
        }
        long nowNs = System.nanoTime();
        if (nowNs - turnedNs < TURN_EVERY_NS) {
            return 0;
        }
        turnedNs = nowNs;
        return Math.max(0, loop.turn(0));
    }

    /** What a peer writes to memory causes no event, so that a wait for it ends after a millisecond at the latest. */
    @Override
    public int progress(Duration timeout) {
        long timeNs = Math.min(Times.nanos(timeout), PROGRESS_NS);
        if (inline) {
            boolean waits = !woken.getAndSet(false);
            return Math.max(0, loop.turn(waits ? (int) Math.ceilDiv(timeNs, PROGRESS_NS) : 0));
        }
        progressing.await(woken::get, timeNs);
        woken.set(false);
        return 0;
    }

    @Override
    public void wakeup() {
        woken.set(true);
        loop.wake();
        progressing.signal();
    }

    @Override
    public void adopt() {
        // Any thread may turn the loop.
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        shown.close();
        events.wake();
        connections.close();
        queuePairs.all().forEach(PostedWork::close);
        sharedQueues.all().forEach(SharedReceives::close);
        handlers.close();
        loop.close();
        completionQueues.forEach(HardwareCompletionQueue::close);
        channels.close();
        boolean free = domains.stream().allMatch(HardwareDomain::endWithRnic);
        if (free) {
            adapter.close();
        }
        processor.close();
    }

    // Notification.

    @Override
    public long nowNs() {
        return System.nanoTime();
    }

    @Override
    public WaitPoint newHandlerWaitPoint() {
        return new Waiting(loop, false);
    }

    @Override
    public HandlerProcessor defaultProcessor() {
        return processor;
    }

    @Override
    public boolean mustNotWait() {
        return loop.inLoop();
    }

    @Override
    public void onHandlerRun(int handler, int cq, long toHandlerNs, long inHandlerNs, long completions) {
        // The figures of the handlers have it; there is no recording of an adapter's runs.
    }

    @Override
    public void onProcessorFailed(CqHandlerId handler, String sentence) {
        raise(new AsyncEvent(AsyncEventType.HANDLER_PROCESSOR_FAILED, handler, sentence));
    }
}
