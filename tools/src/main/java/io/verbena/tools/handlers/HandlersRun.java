package io.verbena.tools.handlers;

import io.verbena.base.Times;
import io.verbena.host.system.Pinning;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.CqHandler;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerFigures;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Notification;
import io.verbena.verbs.ProcessorOptions;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One run of one arrangement: an adapter with both consumers on one RNIC, and their host on another, over the loopback
 * interface. The same work in every arrangement; only handlers and processors differ.
 */
public final class HandlersRun implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration MOMENT = Duration.ofMillis(5);
    private static final int PROCESSORS = 2;
    private static final HandlerOptions BULK = new HandlerOptions("bulk", 0);
    private static final HandlerOptions LOW_LATENCY = new HandlerOptions("low latency", 7);

    private final HandlersSettings settings;
    private final Arrangement arrangement;
    private final StopSignal stop;
    private final FileChannel file;
    private final Rnic adapter;
    private final Rnic host;
    private final List<HandlerProcessor> processors = new ArrayList<>();
    private final List<CqHandlerId> handlers = new ArrayList<>();
    private final Map<CompletionQueue, Runnable> consumers = new HashMap<>();
    private final List<Disk> disks = new ArrayList<>();
    private final List<CompletionQueue> diskCqs = new ArrayList<>();
    private final CompletionQueue messageCq;
    private final Messages receiver;
    private final Messages sender;
    private final DiskHost diskHost;

    /** Everything connected, nothing under way. */
    public HandlersRun(HandlersSettings settings, Arrangement arrangement, RnicOptions options, StopSignal stop)
            throws IOException {
        this.settings = settings;
        this.arrangement = arrangement;
        this.stop = stop;
        file = FileChannel.open(
                settings.file(), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        adapter = Rnic.open(arrangement == Arrangement.OWN_ENGINES ? besideProcessors(options) : options);
        host = Rnic.open(options);
        register();
        ProtectionDomain domain = adapter.allocateProtectionDomain();
        for (int i = 0; i < settings.storage().disks(); i++) {
            CompletionQueue cq = cq(handlers.getFirst(), 8 * settings.storage().depth());
            Disk disk = new Disk(domain, cq, settings.storage().depth(), file);
            consumers.put(cq, () -> disk.handle(settings.storage().batch()));
            diskCqs.add(cq);
            disks.add(disk);
        }
        messageCq = cq(handlers.getLast(), 1024);
        receiver = new Messages(domain, messageCq);
        consumers.put(messageCq, receiver::handle);
        receiver.receives();
        ProtectionDomain hostDomain = host.allocateProtectionDomain();
        sender = new Messages(hostDomain, host.createCompletionQueue(1024));
        diskHost = new DiskHost(
                hostDomain,
                host.createCompletionQueue(
                        8 * settings.storage().disks() * settings.storage().depth()),
                settings.storage().disks(),
                settings.storage().depth());
        connect();
    }

    /** One engine for each processor, on its core. */
    private RnicOptions besideProcessors(RnicOptions options) {
        return options.withEngines(PROCESSORS).withEngineCores(List.of(coresOf(0), coresOf(1)));
    }

    /** The first handler is the storage consumer's, the last the messaging consumer's; there may be just one. */
    private void register() {
        CqHandler handler = cq -> {
            Runnable consumer = consumers.get(cq);
            if (consumer != null) {
                consumer.run();
            }
            // Entries that the batch left cause a signal immediately.
            cq.requestNotification(Notification.NEXT);
        };
        processors.add(processor("storage", false));
        handlers.add(adapter.setCompletionHandler(handler, processors.getFirst(), BULK));
        boolean urgent = arrangement == Arrangement.URGENT_PROCESSOR;
        if (urgent || arrangement == Arrangement.OWN_PROCESSORS || arrangement == Arrangement.OWN_ENGINES) {
            processors.add(processor("messages", urgent));
        }
        if (arrangement != Arrangement.ONE_HANDLER) {
            handlers.add(adapter.setCompletionHandler(handler, processors.getLast(), LOW_LATENCY));
        }
    }

    private HandlerProcessor processor(String name, boolean urgent) {
        boolean bound = !settings.cores().isEmpty() || arrangement == Arrangement.OWN_ENGINES;
        Set<Integer> own = bound ? coresOf(processors.size()) : Set.of();
        ProcessorOptions options = ProcessorOptions.thread("verbena-" + name).withCores(own);
        return HandlerProcessor.open(urgent ? options.asUrgent() : options);
    }

    /** The core of a processor: those of the settings in turn, without them those that this process may run on. */
    private Set<Integer> coresOf(int processor) {
        List<Integer> cores = settings.cores();
        if (cores.isEmpty()) {
            cores = Pinning.unsupported().isPresent()
                    ? List.of(0)
                    : Pinning.cores().stream().boxed().toList();
        }
        return Set.of(cores.get(processor % cores.size()));
    }

    private CompletionQueue cq(CqHandlerId handler, int capacity) {
        return adapter.createCompletionQueue(
                CompletionQueueOptions.capacity(capacity).withHandler(handler));
    }

    private void connect() throws IOException {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (Listener listener = adapter.listen(any)) {
            for (int i = 0; i < disks.size(); i++) {
                connect(listener, diskHost.queuePair(i), disks.get(i).queuePair());
            }
            connect(listener, sender.queuePair(), receiver.queuePair());
        }
    }

    private void connect(Listener listener, QueuePair from, QueuePair to) throws IOException {
        Connection opening = host.startConnect(from, listener.localAddress(), ConnectionOptions.defaults());
        Connection accepted = listener.nextRequest(PATIENCE)
                .orElseThrow(() -> new IOException("No connection request arrived over the loopback interface"))
                .startAccept(to, ConnectionOptions.defaults());
        opening.awaitEstablished(PATIENCE);
        accepted.awaitEstablished(PATIENCE);
    }

    /**
     * Does the work for the time of the settings.
     *
     * @throws Failure when a block or a message did not get where it should
     */
    public RunFigures run() throws Failure, IOException {
        consumers.keySet().forEach(cq -> cq.requestNotification(Notification.NEXT));
        long startNs = System.nanoTime();
        diskHost.startAll();
        receiver.measure();
        work(startNs);
        long wallNs = System.nanoTime() - startNs;
        long blocks = diskHost.answered();
        finish();
        for (CqHandlerId handler : handlers) {
            adapter.removeCompletionHandler(handler);
        }
        check();
        HandlerFigures storage = diskCqs.stream()
                .map(CompletionQueue::figures)
                .max(Comparator.comparingLong(HandlerFigures::toHandlerP99Ns))
                .orElseThrow();
        List<String> notes = new ArrayList<>();
        processors.stream()
                .map(HandlerProcessor::note)
                .filter(note -> !note.isEmpty())
                .forEach(notes::add);
        if (sender.lost() > 0) {
            notes.add(sender.lost() + " messages were not sent because the receiver was too slow.");
        }
        return new RunFigures(
                arrangement,
                messageCq.figures(),
                storage,
                receiver.ages(),
                new RunFigures.Writes(blocks, wallNs),
                notes);
    }

    private void work(long startNs) throws Failure {
        long everyNs = Times.nanos(settings.every());
        long nextNs = startNs;
        while (true) {
            long nowNs = System.nanoTime();
            if (nowNs - startNs >= Times.nanos(settings.time())) {
                return;
            }
            stop.check();
            if (nowNs - nextNs >= 0) {
                sender.send(nowNs);
                nextNs = nowNs + everyNs;
            }
            if (!diskHost.step(true)) {
                diskHost.cq().await(Duration.ofNanos(Math.clamp(nextNs - System.nanoTime(), 1, 1_000_000)));
            }
        }
    }

    /** Lets what is under way come to its end. */
    private void finish() throws Failure {
        long started = (long) disks.size() * settings.storage().depth();
        long sinceNs = System.nanoTime();
        long before = diskHost.answered();
        while (diskHost.answered() - before < started) {
            if (!diskHost.step(false)) {
                diskHost.cq().await(MOMENT);
            }
            if (System.nanoTime() - sinceNs > PATIENCE.toNanos()) {
                throw new Failure(
                        "The disk left " + (started - diskHost.answered() + before) + " writes without an answer");
            }
        }
    }

    private void check() throws Failure, IOException {
        long written = 0;
        for (Disk disk : disks) {
            if (!disk.trouble().isEmpty()) {
                throw new Failure("The storage consumer failed: " + disk.trouble());
            }
            written += disk.written();
        }
        if (written != diskHost.answered()) {
            throw new Failure(written + " blocks were written, but " + diskHost.answered() + " answered");
        }
        ByteBuffer found = ByteBuffer.allocate(HandlersSettings.BLOCK_BYTES);
        for (int tag = 0; tag < disks.size() * settings.storage().depth(); tag++) {
            found.clear();
            while (found.hasRemaining()) {
                long at = (long) tag * HandlersSettings.BLOCK_BYTES + found.position();
                if (file.read(found, at) < 0) {
                    throw new Failure("The file is shorter than the blocks written to it");
                }
            }
            if (!diskHost.matches(tag, found.flip())) {
                throw new Failure("Block " + tag + " of the file differs from what the host wrote");
            }
        }
    }

    @Override
    public void close() throws IOException {
        host.close();
        adapter.close();
        processors.forEach(HandlerProcessor::close);
        file.close();
    }
}
