package io.verbena.storage.client;

import io.verbena.storage.host.BlockCommandCounts;
import io.verbena.storage.host.ControllerProfile;
import io.verbena.storage.host.DiscoveryRecord;
import io.verbena.storage.host.HostSettings;
import io.verbena.storage.host.HostState;
import io.verbena.storage.host.StorageHost;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.RnicProvider;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WaitInterruptedException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A connection to the disks of a target (NVMe over Fabrics), which is established again when it is lost. One thread
 * drives it. The thread waits for its RNIC only, which keeps a wake-up for the next wait; so it announces nothing,
 * unlike a thread that waits for sockets.
 *
 * {@snippet :
 * try (DiskClient client = DiskClient.connect(address, "nqn.2026-01.org.example:disk", DiskOptions.defaults())) {
 *     Disk disk = client.disks().getFirst();
 *     disk.write(0, block).join();
 *     disk.flush().join();
 * }
 * }
 */
public final class DiskClient implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.verbena.storage");

    /** Deadlines are far away, except while a controller starts. */
    private static final long TICK_NS = 20_000_000;

    private static final Duration TICK = Duration.ofNanos(TICK_NS);

    /** A target that does not answer while the client is closed holds it up for this long after the time for set-up. */
    private static final Duration CLOSE_GRACE = Duration.ofSeconds(5);

    private final Rnic rnic;
    private final boolean ownsRnic;
    private final HostDriver driver;
    private final Thread thread;
    private final AtomicBoolean signalled = new AtomicBoolean();
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final Object changes = new Object();
    private final Duration setUp;
    private volatile boolean stopping;
    private volatile boolean ended;

    private DiskClient(Rnic rnic, boolean ownsRnic, SocketAddress address, HostSettings settings, DiskOptions options) {
        this.rnic = rnic;
        this.ownsRnic = ownsRnic;
        setUp = Duration.ofNanos(settings.times().setUpNs());
        driver = new HostDriver(rnic, address, settings, options.keys(), options.survival(), this::wake);
        driver.onChange(this::changed);
        thread = Thread.ofPlatform().name("verbena-disk-client").daemon(true).unstarted(this::loop);
    }

    // ---- Connecting

    /**
     * Opens an RNIC and connects to the disks of a subsystem. A connection that is lost later is established again; this first attempt is
     * not repeated.
     *
     * @param subsystem the NQN of the subsystem
     * @throws ConnectionException if the target cannot be reached, or refuses
     * @throws WaitInterruptedException if the thread is interrupted
     */
    public static DiskClient connect(SocketAddress address, String subsystem, DiskOptions options)
            throws ConnectionException {
        Rnic rnic = Rnic.open(towards(address, options.rnic()));
        return start(rnic, true, address, subsystem, options);
    }

    /**
     * The same with an RNIC of the caller, which remains open. An RNIC with {@link io.verbena.verbs.Progress#INLINE} belongs to the thread of the
     * client until the client is closed.
     */
    public static DiskClient connect(Rnic rnic, SocketAddress address, String subsystem, DiskOptions options)
            throws ConnectionException {
        return start(rnic, false, address, subsystem, options);
    }

    /** The subsystems that a target offers to this host. */
    public static List<DiscoveryRecord> discover(SocketAddress address, DiskOptions options)
            throws ConnectionException {
        try (DiskClient client = connect(address, StorageHost.DISCOVERY, options)) {
            return client.driver.host().discovered();
        }
    }

    /** The same with an RNIC of the caller. */
    public static List<DiscoveryRecord> discover(Rnic rnic, SocketAddress address, DiskOptions options)
            throws ConnectionException {
        try (DiskClient client = connect(rnic, address, StorageHost.DISCOVERY, options)) {
            return client.driver.host().discovered();
        }
    }

    /** A packet port needs an address of this machine. */
    private static RnicOptions towards(SocketAddress address, RnicOptions options) {
        if (options.device().isEmpty() && address instanceof InetSocketAddress inet && !inet.isUnresolved()) {
            String device = RnicProvider.named(options.provider()).deviceTowards(inet.getAddress());
            return device.isEmpty() ? options : options.withDevice(device);
        }
        return options;
    }

    private static DiskClient start(
            Rnic rnic, boolean ownsRnic, SocketAddress address, String subsystem, DiskOptions options)
            throws ConnectionException {
        HostSettings settings =
                new HostSettings(subsystem, options.host(), options.queues(), options.depth(), options.times());
        DiskClient client = new DiskClient(rnic, ownsRnic, address, settings, options);
        client.thread.start();
        boolean live = false;
        try {
            client.awaitLive();
            live = true;
        } finally {
            if (!live) {
                client.close();
            }
        }
        return client;
    }

    private void awaitLive() throws ConnectionException {
        synchronized (changes) {
            while (driver.state() != HostState.LIVE && !driver.state().over() && !ended) {
                try {
                    changes.wait();
                } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                    throw new WaitInterruptedException();
                }
            }
        }
        if (driver.state() != HostState.LIVE) {
            throw new ConnectionException(ConnectionException.Kind.FAILED, driver.reason(), new byte[0]);
        }
    }

    // ---- What is there

    /** The disks that exist now, by number. */
    public List<Disk> disks() {
        return driver.disks();
    }

    /** The disk with a number, if it exists now. */
    public Optional<Disk> disk(int number) {
        return driver.disks().stream().filter(disk -> disk.number() == number).findFirst();
    }

    /** The target. */
    public ControllerProfile target() {
        return driver.profile();
    }

    /** Where the client connects to. */
    public SocketAddress address() {
        return driver.path().address();
    }

    /** State of the connection. Operations wait in every state but the last two. */
    public HostState state() {
        return driver.state();
    }

    /** Why the connection was lost the last time, in one sentence; empty if it never was. */
    public String reason() {
        return driver.reason();
    }

    /** The commands of the client by their states. */
    public BlockCommandCounts commands() {
        return driver.host().commands();
    }

    /** Calls an action, in the thread of the client, when the state or the disks have changed. It must not wait. */
    public void onChange(Runnable action) {
        listeners.add(action);
    }

    // ---- The thread

    private void wake() {
        if (!signalled.getAndSet(true)) {
            rnic.wakeup();
        }
    }

    private void changed() {
        synchronized (changes) {
            changes.notifyAll();
        }
        for (Runnable listener : listeners) {
            try {
                listener.run();
            } catch (RuntimeException | Error e) {
                LOG.log(Level.WARNING, "A listener of a disk client failed.", e);
            }
        }
    }

    private void loop() {
        try {
            serve();
        } catch (VerbsException e) {
            LOG.log(Level.WARNING, "A disk client ends, because its RNIC was closed or failed: " + e.getMessage());
        } catch (RuntimeException | Error e) {
            LOG.log(Level.ERROR, "The thread of a disk client failed.", e);
        } finally {
            ended = true;
            driver.stop();
            changed();
        }
    }

    private void serve() {
        rnic.adopt();
        long tickedNs = System.nanoTime();
        driver.open(tickedNs);
        while (!(stopping && driver.host().state() == HostState.CLOSED)) {
            signalled.set(false);
            long nowNs = System.nanoTime();
            if (nowNs - tickedNs >= pauseNs()) {
                tickedNs = nowNs;
                driver.onDeadline(nowNs);
            }
            if (!driver.round(nowNs) && !signalled.get()) {
                driver.checkOpen();
                pause();
            }
        }
    }

    private long pauseNs() {
        return driver.host().state().settingUp() ? TICK_NS / 10 : TICK_NS;
    }

    private void pause() {
        try {
            rnic.progress(TICK);
        } catch (WaitInterruptedException _) {
            Thread.interrupted(); // nothing but close ends this thread
        }
    }

    /**
     * Ends the connection in order. Operations that have not ended fail: wait for the flush of what must be on the disk before. Not interruptible.
     */
    @Override
    public void close() {
        if (!stopping) {
            stopping = true;
            driver.execute(() -> driver.host().close(driver.nowNs()));
        }
        boolean interrupted = false;
        while (thread.isAlive() && Thread.currentThread() != thread) {
            try {
                thread.join(setUp.plus(CLOSE_GRACE));
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (ownsRnic) {
            rnic.close();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
