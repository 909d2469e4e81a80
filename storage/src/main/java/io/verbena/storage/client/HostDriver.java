package io.verbena.storage.client;

import io.verbena.storage.host.BlockCommand;
import io.verbena.storage.host.BlockRequest;
import io.verbena.storage.host.ControllerProfile;
import io.verbena.storage.host.HostMemory;
import io.verbena.storage.host.HostOutput;
import io.verbena.storage.host.HostSettings;
import io.verbena.storage.host.HostState;
import io.verbena.storage.host.PageUse;
import io.verbena.storage.host.RemoteNamespace;
import io.verbena.storage.host.StorageHost;
import io.verbena.storage.host.SubmissionQueue;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.SurvivalOptions;
import io.verbena.verbs.VerbsException;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Drives a {@link StorageHost} over the verbs. {@link #round} is one turn, always of the same thread; the other threads leave their
 * operations in an inbox. It has no thread and no clock, so that it also works in virtual time.
 */
final class HostDriver implements HostOutput, QueueOwner {
    private static final System.Logger LOG = System.getLogger("io.verbena.storage");
    private static final VarHandle LATEST;

    static {
        try {
            LATEST = MethodHandles.lookup().findVarHandle(HostDriver.class, "latest", DiskOperation.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final TargetPath path;
    private final DiskMemories memories;
    private final Duration connectTimeout;
    private final Runnable wake;
    private final StorageHost host;
    private final DiskQueue[] queues;
    private final Staging staging;
    private final ArrayDeque<DiskQueue> closings = new ArrayDeque<>();
    private final Queue<Runnable> inbox = new ConcurrentLinkedQueue<>();

    /** The newest of the operations that were submitted since the last round, a stack. */
    private volatile @Nullable DiskOperation latest;

    private volatile List<Disk> disks = List.of();
    private volatile HostState state = HostState.IDLE;
    private volatile String reason = "";
    private volatile ControllerProfile profile;
    private volatile Runnable onChange = () -> {};
    private volatile @Nullable Thread thread;
    private volatile boolean stopped;
    private long nowNs;

    HostDriver(
            Rnic rnic,
            SocketAddress address,
            HostSettings settings,
            KeyUse keys,
            Optional<SurvivalOptions> survival,
            Runnable wake) {
        this.wake = wake;
        ConnectionOptions plain = ConnectionOptions.defaults();
        path = new TargetPath(
                rnic.allocateProtectionDomain(),
                address,
                keys,
                survival.map(plain::withSurvival).orElse(plain));
        memories = new DiskMemories(path);
        connectTimeout = Duration.ofNanos(settings.times().setUpNs());
        queues = new DiskQueue[settings.queues() + 1];
        List<HostMemory> queueMemories = new ArrayList<>();
        for (int id = 0; id < queues.length; id++) {
            queues[id] = new DiskQueue(this, path, memories, StorageHost.depth(settings, id));
            queueMemories.add(queues[id].memory());
        }
        host = new StorageHost(settings, queueMemories, this);
        profile = host.profile();
        staging = new Staging(this, settings.queues() * settings.depth());
    }

    @Override
    public StorageHost host() {
        return host;
    }

    @Override
    public long nowNs() {
        return nowNs;
    }

    TargetPath path() {
        return path;
    }

    DiskMemories memories() {
        return memories;
    }

    // ---- For all threads

    List<Disk> disks() {
        return disks;
    }

    HostState state() {
        return state;
    }

    String reason() {
        return reason;
    }

    ControllerProfile profile() {
        return profile;
    }

    void onChange(Runnable action) {
        onChange = action;
    }

    @Override
    public void execute(Runnable action) {
        inbox.add(action);
        afterAdding();
    }

    void submit(DiskOperation operation) {
        DiskOperation before;
        do {
            before = latest;
            operation.earlier = before;
        } while (!LATEST.compareAndSet(this, before, operation));
        // Rounds look into the inbox anyway.
        if (before == null) {
            afterAdding();
        }
    }

    private void afterAdding() {
        if (stopped) {
            takeAll();
        } else if (Thread.currentThread() != thread) {
            wake.run();
        }
    }

    void begin(Transfer transfer) {
        execute(() -> {
            try {
                staging.begin(transfer);
            } catch (RuntimeException | Error e) {
                transfer.fail(e);
            }
        });
    }

    void requireAccessible(MemorySegment memory) {
        Thread of = thread;
        if (of != null && !memory.isAccessibleBy(of)) {
            throw new IllegalArgumentException(
                    "The thread of the disk client cannot access this memory; allocate it in a shared or automatic arena.");
        }
    }

    // ---- Rounds

    /** Begins to connect. The calling thread is that of the rounds. */
    void open(long now) {
        thread = Thread.currentThread();
        nowNs = now;
        host.open(now);
    }

    /** Takes what has arrived and sends what can be sent. Returns whether there was anything to do. */
    boolean round(long now) {
        nowNs = now;
        boolean worked = takeAll();
        for (DiskQueue queue : queues) {
            worked |= queue.poll();
        }
        host.advance(now);
        for (DiskQueue queue : queues) {
            queue.ring();
        }
        return tearDown() || worked;
    }

    /** Fails if the RNIC was closed, and its regions with it: what the host waits for would never come. */
    void checkOpen() {
        if (!queues[0].page().valid()) {
            throw new VerbsException("The RNIC was closed.");
        }
    }

    void onDeadline(long now) {
        nowNs = now;
        host.onDeadline(now);
    }

    private boolean takeAll() {
        return stopped ? takeAllStopped() : takeInbox();
    }

    private synchronized boolean takeAllStopped() {
        return takeInbox();
    }

    private boolean takeInbox() {
        boolean any = false;
        for (Runnable action = inbox.poll(); action != null; action = inbox.poll()) {
            any = true;
            action.run();
        }
        DiskOperation last = latest == null ? null : (DiskOperation) LATEST.getAndSet(this, null);
        if (last == null) {
            return any;
        }
        // The stack has the latest first.
        DiskOperation first = null;
        while (last != null) {
            DiskOperation earlier = last.earlier;
            last.earlier = first;
            first = last;
            last = earlier;
        }
        while (first != null) {
            DiskOperation next = first.earlier;
            first.earlier = null;
            host.submit(first.request());
            first = next;
        }
        return true;
    }

    void start(BlockRequest request) {
        host.submit(request);
    }

    void call(DiskListener listener, DiskOperation operation) {
        try {
            listener.ended(operation);
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "A listener of a disk operation failed.", e);
        }
    }

    private boolean tearDown() {
        boolean any = false;
        for (DiskQueue queue = closings.poll(); queue != null; queue = closings.poll()) {
            any = true;
            queue.tearDown(host.closesInOrder());
        }
        return any;
    }

    /** The host is over: frees memory. Later operations fail in the threads that submit them. */
    void stop() {
        for (DiskQueue queue : queues) {
            queue.abandon();
        }
        stopped = true;
        host.abandon();
        takeAll();
        memories.close();
        for (DiskQueue queue : queues) {
            queue.close();
        }
        path.domain().close();
    }

    // ---- What the engine wants

    @Override
    public void connect(SubmissionQueue queue) {
        if (queue.id() == 0 && path.keys() == KeyUse.PER_MEMORY) {
            // What the earlier target knows is worth nothing to others.
            memories.renewKeys();
        }
        queues[queue.id()].connect(queue, connectTimeout);
    }

    @Override
    public void sendAdmin(SubmissionQueue queue, int slot, PageUse use) {
        queues[queue.id()].sendAdmin(queue, slot, use);
    }

    @Override
    public void send(SubmissionQueue queue, int slot, BlockCommand command) {
        queues[queue.id()].send(queue, slot, command);
    }

    @Override
    public void close(SubmissionQueue queue) {
        closings.add(queues[queue.id()]);
    }

    @Override
    public void changed() {
        state = host.state();
        reason = host.reason();
        profile = host.profile();
        List<Disk> known = disks;
        List<Disk> now = new ArrayList<>();
        for (RemoteNamespace namespace : host.namespaces()) {
            now.add(known.stream()
                    .filter(disk -> disk.namespace() == namespace)
                    .findFirst()
                    .orElseGet(() -> new Disk(this, namespace)));
        }
        disks = List.copyOf(now);
        onChange.run();
    }
}
