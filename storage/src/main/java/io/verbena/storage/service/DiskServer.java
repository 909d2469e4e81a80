package io.verbena.storage.service;

import io.verbena.storage.subsystem.StorageTarget;
import io.verbena.storage.wire.CmReject;
import io.verbena.storage.wire.CmRequest;
import io.verbena.storage.wire.RejectReason;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Listener;
import io.verbena.verbs.PeerNetwork;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.WaitInterruptedException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Serves a {@link StorageTarget} on an address. One thread owns the target and all queue pairs; work that waits for a medium runs in
 * other threads. Change the target within {@link #execute} only. The thread waits for the first RNIC only, which keeps
 * a wake-up for the next wait; so it announces nothing, unlike a thread that waits for sockets.
 */
public final class DiskServer implements AutoCloseable {
    static final System.Logger LOG = System.getLogger("io.verbena.storage");

    /** Deadlines are seconds away; looking at them rarely keeps them out of the path of commands. */
    private static final long TICK_NS = 100_000_000;

    private static final Duration TICK = Duration.ofNanos(TICK_NS);

    private final StorageTarget target;
    private final List<Entrance> entrances = new CopyOnWriteArrayList<>();
    private final ExecutorService aside = Executors.newVirtualThreadPerTaskExecutor();
    private final Queue<Runnable> inbox = new ConcurrentLinkedQueue<>();
    private final List<HostQueue> queues = new ArrayList<>();
    private final ArrayDeque<HostQueue> closings = new ArrayDeque<>();
    private final AtomicBoolean signalled = new AtomicBoolean();
    private final CompletableFuture<Boolean> ended = new CompletableFuture<>();
    private final LongSupplier clock;
    private final Optional<Thread> thread;
    private boolean inside;
    private volatile boolean stopping;
    private volatile boolean requests = true;
    private long tickedNs;

    private record Entrance(Rnic rnic, Listener listener, ConnectionOptions accepted) {}

    private DiskServer(StorageTarget target, LongSupplier clock, boolean withThread) {
        this.target = target;
        this.clock = clock;
        tickedNs = clock.getAsLong();
        thread = withThread
                ? Optional.of(
                        Thread.ofPlatform().name("verbena-disk").daemon(true).unstarted(this::loop))
                : Optional.empty();
    }

    /** Starts to serve. The server owns the target from now on, and not the RNIC. */
    public static DiskServer start(Rnic rnic, StorageTarget target, SocketAddress address) throws IOException {
        return start(rnic, target, address, ConnectionOptions.defaults());
    }

    /**
     * The same.
     *
     * @param accepted options of the connections that it accepts, such as {@link ConnectionOptions#surviving};
     *     without private data
     */
    public static DiskServer start(Rnic rnic, StorageTarget target, SocketAddress address, ConnectionOptions accepted)
            throws IOException {
        DiskServer server = new DiskServer(target, System::nanoTime, true);
        server.listen(rnic, address, accepted);
        server.thread.ifPresent(Thread::start);
        return server;
    }

    /**
     * Serves within the threads that report events of the RNIC, for simulated networks, which have a single thread. Devices are called
     * there too.
     *
     * @param clock the time of the network
     */
    public static DiskServer inline(Rnic rnic, StorageTarget target, SocketAddress address, LongSupplier clock)
            throws IOException {
        DiskServer server = new DiskServer(target, clock, false);
        server.listen(rnic, address);
        return server;
    }

    long nowNs() {
        return clock.getAsLong();
    }

    /** Serves the same target through another RNIC too. Returns where hosts connect. */
    public SocketAddress listen(Rnic rnic, SocketAddress address) throws IOException {
        return listen(rnic, address, ConnectionOptions.defaults());
    }

    /** The same, with options of the connections that it accepts. */
    public SocketAddress listen(Rnic rnic, SocketAddress address, ConnectionOptions accepted) throws IOException {
        Listener listener = rnic.listen(address);
        entrances.add(new Entrance(rnic, listener, accepted));
        listener.onReady(this::onRequest);
        onRequest();
        return listener.localAddress();
    }

    /** Where hosts connect to the first RNIC. */
    public SocketAddress localAddress() {
        return entrances.getFirst().listener().localAddress();
    }

    StorageTarget target() {
        return target;
    }

    /** Executes an action in the thread of the target. */
    public void execute(Runnable action) {
        inbox.add(action);
        wake();
    }

    /**
     * Executes a request in the thread of the target, and waits for its result.
     *
     * @throws IllegalStateException if the server is closed
     */
    public <T> T call(Supplier<T> request) {
        CompletableFuture<T> result = new CompletableFuture<>();
        execute(() -> {
            try {
                result.complete(request.get());
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
            }
        });
        try {
            CompletableFuture.anyOf(result, ended).join();
            if (!result.isDone()) {
                throw new IllegalStateException("The disk server is closed.");
            }
            return result.join();
        } catch (CompletionException e) {
            switch (e.getCause()) {
                case RuntimeException cause -> throw cause;
                case Error cause -> throw cause;
                case null, default -> throw e;
            }
        }
    }

    void wake() {
        if (signalled.getAndSet(true)) {
            return;
        }
        if (thread.isPresent()) {
            entrances.getFirst().rnic().wakeup();
        } else if (!inside) {
            inside = true;
            try {
                while (signalled.getAndSet(false)) {
                    while (round()) {
                        continue; // until nothing is left to do
                    }
                }
            } finally {
                inside = false;
            }
        }
    }

    private void onRequest() {
        requests = true;
        wake();
    }

    void runAside(Runnable action) {
        if (thread.isPresent()) {
            aside.execute(action);
        } else {
            action.run();
        }
    }

    void closing(HostQueue queue) {
        assert owned() || stopping : "queues are closed by the thread that serves";
        closings.add(queue);
    }

    private void loop() {
        try {
            while (!stopping) {
                try {
                    turn();
                } catch (RuntimeException | Error e) {
                    LOG.log(Level.ERROR, "The disk server failed, and continues.", e);
                }
            }
            guarded(this::endAll);
        } finally {
            ended.complete(true); // also after an error, so that no call waits for a thread that has ended
        }
    }

    private void turn() {
        signalled.set(false);
        if (!round() && !signalled.get()) {
            pause();
        }
    }

    private void endAll() {
        while (!queues.isEmpty()) {
            List.copyOf(queues).forEach(HostQueue::close);
            tearDown();
        }
    }

    /** Waits for work. Meanwhile this thread drives the first RNIC, so that a command costs no change of threads. */
    private void pause() {
        try {
            entrances.getFirst().rnic().progress(TICK);
        } catch (WaitInterruptedException _) {
            Thread.interrupted(); // only close ends this thread
        }
    }

    /** Whether the calling thread owns the target: that of the server, or without one the thread that is inside. */
    private boolean owned() {
        return thread.map(owner -> owner == Thread.currentThread()).orElse(inside);
    }

    private boolean round() {
        assert owned() : "one thread serves";
        boolean worked = accept();
        for (Runnable action = inbox.poll(); action != null; action = inbox.poll()) {
            worked = true;
            guarded(action);
        }
        // Without an iterator, which would be an object in each round. Queues are added and removed elsewhere in the
        // round.
        for (int i = 0; i < queues.size(); i++) {
            HostQueue queue = queues.get(i);
            try {
                worked |= queue.poll();
            } catch (RuntimeException | Error e) {
                failed(queue, e);
            }
        }
        long nowNs = nowNs();
        if (nowNs - tickedNs >= TICK_NS) {
            tickedNs = nowNs;
            guarded(() -> target.onDeadline(nowNs));
        }
        for (int i = 0; i < queues.size(); i++) {
            HostQueue queue = queues.get(i);
            try {
                queue.ring();
            } catch (RuntimeException | Error e) {
                failed(queue, e);
            }
        }
        return tearDown() || worked;
    }

    /** One queue that fails does not end the others. */
    private static void failed(HostQueue queue, Throwable cause) {
        LOG.log(Level.WARNING, "A queue of a host failed and is closed.", cause);
        queue.close();
    }

    /** Actions of users are executed too: nothing that they throw, and no interrupt, ends the thread of the server. */
    private static void guarded(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "An action of the disk server failed.", e);
        } finally {
            Thread.interrupted();
        }
    }

    private boolean tearDown() {
        boolean any = false;
        for (HostQueue queue = closings.poll(); queue != null; queue = closings.poll()) {
            any = true;
            queues.remove(queue);
            guarded(queue::tearDown);
        }
        return any;
    }

    private boolean accept() {
        if (!requests) {
            return false;
        }
        requests = false;
        boolean any = false;
        for (Entrance entrance : entrances) {
            any |= accept(entrance);
        }
        return any;
    }

    private boolean accept(Entrance entrance) {
        boolean any = false;
        for (Optional<ConnectionRequest> next = entrance.listener().nextRequest(Duration.ZERO);
                next.isPresent();
                next = entrance.listener().nextRequest(Duration.ZERO)) {
            any = true;
            ConnectionRequest request = next.get();
            try {
                accept(entrance, request);
            } catch (RuntimeException | Error e) {
                LOG.log(Level.WARNING, "The connection of a host could not be accepted.", e);
                guarded(() -> request.reject(reject(RejectReason.NO_RESOURCES)));
            }
        }
        return any;
    }

    private void accept(Entrance entrance, ConnectionRequest request) {
        byte[] data = request.privateData();
        Optional<RejectReason> refusal =
                target.check(data, PeerNetwork.of(request.remoteAddress()).name());
        if (refusal.isPresent()) {
            request.reject(reject(refusal.get()));
        } else {
            // A host reads nothing; it may probe a connection that has to notice silence to survive it.
            int readsOfHost = entrance.accepted().survival().isPresent() ? 1 : 0;
            CmRequest parameters = new CmRequest().wrap(MemorySegment.ofArray(data), 0);
            HostQueue queue = new HostQueue(this, entrance.rnic(), request, parameters, readsOfHost);
            queues.add(queue);
            try {
                queue.accept(request, entrance.accepted());
            } catch (RuntimeException | Error e) {
                failed(queue, e);
            }
        }
    }

    private static byte[] reject(RejectReason reason) {
        byte[] reject = new byte[CmReject.LENGTH];
        new CmReject().wrap(MemorySegment.ofArray(reject), 0).reason(reason.code());
        return reject;
    }

    private boolean join(Thread ending) {
        entrances.getFirst().rnic().wakeup();
        boolean interrupted = false;
        while (ending.isAlive()) {
            try {
                ending.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        return interrupted;
    }

    /** Ends all associations and stops. Waits for devices. */
    @Override
    public void close() {
        entrances.forEach(each -> each.listener().close());
        stopping = true;
        boolean interrupted = thread.isPresent() && join(thread.get());
        if (thread.isEmpty()) {
            inside = true; // what the ends of connections cause is part of this
            endAll();
            inside = false;
        }
        aside.close();
        // Devices that ended meanwhile: their queues free memory.
        for (Runnable action = inbox.poll(); action != null; action = inbox.poll()) {
            guarded(action);
        }
        ended.complete(true);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
