package io.verbena.storage.service;

import io.verbena.storage.target.StorageTarget;
import io.verbena.storage.wire.CmReject;
import io.verbena.storage.wire.CmRequest;
import io.verbena.storage.wire.RejectReason;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Listener;
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
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Serves a {@link StorageTarget} on an address. One thread owns the target and all queue pairs; work that waits for a medium runs in
 * other threads. Change the target within {@link #execute} only.
 */
public final class DiskServer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.verbena.storage");

    /** Deadlines are seconds away; looking at them rarely keeps them out of the path of commands. */
    private static final long TICK_NS = 100_000_000;

    private static final Duration TICK = Duration.ofNanos(TICK_NS);

    private final Rnic rnic;
    private final StorageTarget target;
    private final Listener listener;
    private final ExecutorService aside = Executors.newVirtualThreadPerTaskExecutor();
    private final Queue<Runnable> inbox = new ConcurrentLinkedQueue<>();
    private final List<HostQueue> queues = new ArrayList<>();
    private final ArrayDeque<HostQueue> closings = new ArrayDeque<>();
    private final AtomicBoolean signalled = new AtomicBoolean();
    private final Thread thread;
    private volatile boolean stopping;
    private volatile boolean requests = true;
    private long tickedNs = System.nanoTime();

    private DiskServer(Rnic rnic, StorageTarget target, Listener listener) {
        this.rnic = rnic;
        this.target = target;
        this.listener = listener;
        thread = Thread.ofPlatform().name("verbena-disk").daemon(true).unstarted(this::loop);
    }

    /** Starts to serve. The server owns the target from now on, and not the RNIC. */
    public static DiskServer start(Rnic rnic, StorageTarget target, SocketAddress address) throws IOException {
        DiskServer server = new DiskServer(rnic, target, rnic.listen(address));
        server.listener.onReady(server::onRequest);
        server.thread.start();
        return server;
    }

    /** Where hosts connect. */
    public SocketAddress localAddress() {
        return listener.localAddress();
    }

    Rnic rnic() {
        return rnic;
    }

    StorageTarget target() {
        return target;
    }

    /** Executes an action in the thread of the target. */
    public void execute(Runnable action) {
        inbox.add(action);
        wake();
    }

    void wake() {
        if (!signalled.getAndSet(true)) {
            rnic.wakeup();
        }
    }

    private void onRequest() {
        requests = true;
        wake();
    }

    void runAside(Runnable action) {
        aside.execute(action);
    }

    void closing(HostQueue queue) {
        closings.add(queue);
    }

    private void loop() {
        while (!stopping) {
            signalled.set(false);
            if (!round() && !signalled.get()) {
                pause();
            }
        }
        while (!queues.isEmpty()) {
            List.copyOf(queues).forEach(HostQueue::close);
            tearDown();
        }
    }

    /** Waits for work. Meanwhile this thread drives the RNIC, so that a command costs no change of threads. */
    private void pause() {
        try {
            rnic.progress(TICK);
        } catch (WaitInterruptedException _) {
            Thread.interrupted(); // only close ends this thread
        }
    }

    private boolean round() {
        boolean worked = accept();
        for (Runnable action = inbox.poll(); action != null; action = inbox.poll()) {
            worked = true;
            guarded(action);
        }
        for (HostQueue queue : queues) {
            try {
                worked |= queue.poll();
            } catch (RuntimeException e) {
                LOG.log(Level.WARNING, "A queue of a host failed and is closed.", e);
                queue.close();
            }
        }
        long nowNs = System.nanoTime();
        if (nowNs - tickedNs >= TICK_NS) {
            tickedNs = nowNs;
            guarded(() -> target.onDeadline(nowNs));
        }
        return tearDown() || worked;
    }

    private static void guarded(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "An action of the disk server failed.", e);
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
        for (Optional<ConnectionRequest> next = listener.nextRequest(Duration.ZERO);
                next.isPresent();
                next = listener.nextRequest(Duration.ZERO)) {
            any = true;
            ConnectionRequest request = next.get();
            guarded(() -> accept(request));
        }
        return any;
    }

    private void accept(ConnectionRequest request) {
        byte[] data = request.privateData();
        Optional<RejectReason> refusal = target.check(data);
        if (refusal.isPresent()) {
            byte[] reject = new byte[CmReject.LENGTH];
            new CmReject()
                    .wrap(MemorySegment.ofArray(reject), 0)
                    .reason(refusal.get().code());
            request.reject(reject);
        } else {
            HostQueue queue = new HostQueue(this, request, new CmRequest().wrap(MemorySegment.ofArray(data), 0));
            queues.add(queue);
            try {
                queue.accept(request);
            } catch (RuntimeException e) {
                LOG.log(Level.WARNING, "The connection of a host could not be accepted.", e);
                queue.close();
            }
        }
    }

    /** Ends all associations and stops. Waits for devices. */
    @Override
    public void close() {
        listener.close();
        stopping = true;
        wake();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        aside.close();
        // Devices that ended meanwhile: their queues free memory.
        for (Runnable action = inbox.poll(); action != null; action = inbox.poll()) {
            guarded(action);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
