package io.verbena.host;

import io.verbena.base.RandomSource;
import io.verbena.base.WaitPoint;
import io.verbena.host.engine.Driven;
import io.verbena.host.engine.EngineThread;
import io.verbena.host.engine.EngineThreads;
import io.verbena.host.engine.InlineDriver;
import io.verbena.host.engine.InlineHandlers;
import io.verbena.host.engine.InlinePoller;
import io.verbena.host.engine.InlineWaitPoint;
import io.verbena.host.engine.ParkingWaitPoint;
import io.verbena.host.engine.StandIn;
import io.verbena.host.link.OwnTcp;
import io.verbena.host.processor.ExecutorProcessor;
import io.verbena.host.processor.HandlerRunEvent;
import io.verbena.host.processor.ProcessorThread;
import io.verbena.host.segment.HostPaging;
import io.verbena.host.segment.HostSharedMemory;
import io.verbena.host.segment.OwnSharing;
import io.verbena.host.system.BufferedRandom;
import io.verbena.host.system.Machine;
import io.verbena.host.system.Sentences;
import io.verbena.live.LiveRnics;
import io.verbena.memory.MemoryProvider;
import io.verbena.memory.OffHeapMemory;
import io.verbena.memory.vmm.PagingHost;
import io.verbena.port.PacketLoop;
import io.verbena.port.StreamLoop;
import io.verbena.port.capture.CaptureLimits;
import io.verbena.port.faults.FaultPlan;
import io.verbena.port.faults.PacketFaults;
import io.verbena.rnic.SoftRnic;
import io.verbena.rnic.context.EngineActivity;
import io.verbena.rnic.context.EngineCores;
import io.verbena.rnic.context.Environment;
import io.verbena.rnic.context.Poller;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.HostSharing;
import io.verbena.verbs.ProcessorOptions;
import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * Real time around one RNIC: the system's clock and randomness, TCP and UDP sockets, and threads that drive the engines, or the
 * caller's thread (INLINE). Make it, make the RNIC with it, then {@link #drive} the RNIC's engines.
 *
 * <pre>
 *   RNIC engine i  ->  [faults]  ->  [capture]  ->  sockets of loop i
 * </pre>
 */
public final class HostEnvironment implements Environment {

    private static final long STOP_TIMEOUT_NS = 10_000_000_000L;

    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final int number = NUMBER.incrementAndGet();
    private final boolean inline;
    private final EngineCores cores;
    private final RandomSource random = new BufferedRandom();
    private final Optional<CaptureFile> capture;
    private final Optional<HostSharedMemory> sharedMemory;
    private final Carriers carriers;
    private final InlineHandlers inlineHandlers = new InlineHandlers();
    private final Poller poller;
    private final @Nullable ProcessorThread handlerThread;
    private final @Nullable ExecutorProcessor listeners;

    /** Published by the write of {@link #driven}. */
    private EngineThreads threads = new EngineThreads();

    private Optional<ConnectionFile> connections = Optional.empty();
    private final long standInPeriodNs;
    private @Nullable InlineDriver driver;
    private @Nullable StandIn standIn;
    private volatile boolean driven;

    /** For other processes; nothing before the RNIC is open. */
    private volatile LiveRnics.Shown shown = () -> {};

    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * An environment with streams as the options say, without faults.
     *
     * @throws VerbsException if the system has no file descriptors left, or the capture file cannot be written
     */
    public HostEnvironment(RnicOptions options) {
        this(options, FaultPlan.none());
    }

    /** With faults on every stream, decided by this environment's random numbers. */
    public HostEnvironment(RnicOptions options, FaultPlan faults) {
        this(options, faults, PacketFaults.none());
    }

    /** With faults on every stream and on every arriving packet. */
    public HostEnvironment(RnicOptions options, FaultPlan faults, PacketFaults packetFaults) {
        this(options, faults, packetFaults, Optional.empty(), false);
    }

    /**
     * With faults, and with streams through shared memory if there is any.
     *
     * @param required whether all streams go through shared memory; otherwise each connection chooses
     */
    HostEnvironment(
            RnicOptions options,
            FaultPlan faults,
            PacketFaults packetFaults,
            Optional<HostSharedMemory> sharedMemory,
            boolean required) {
        Machine.noteMissingAccess();
        this.sharedMemory = sharedMemory;
        OwnTcp.check(options);
        inline = options.progress() == Progress.INLINE;
        poller = newPoller();
        cores = new EngineCores(options);
        if (inline && cores.any()) {
            throw new IllegalArgumentException(
                    "an INLINE RNIC has no engine thread to bind: bind the thread that uses it, and leave the setting '"
                            + RnicOptions.ENGINE_CORES + "' out");
        }
        standInPeriodNs = StandIn.periodNs(options);
        WarmUp.timeNs(options); // refuses a wrong one
        capture = options.captureFile().isEmpty()
                ? Optional.empty()
                : Optional.of(CaptureFile.open(
                        options.captureFile(), CaptureLimits.of(options.settings()), OwnTcp.linkType(options)));
        carriers = new Carriers(random, capture, sharedMemory, required);
        try {
            for (int i = 0; i < options.engines(); i++) {
                carriers.add(options, faults, packetFaults);
            }
        } catch (VerbsException | IllegalArgumentException e) {
            closeLoops();
            throw e;
        } catch (IOException e) {
            closeLoops();
            throw new VerbsException("A selector for an engine cannot be created: " + Sentences.reason(e), e);
        }
        listeners = inline ? null : ExecutorProcessor.ofPlatformThreads("verbena-" + number + "-listeners");
        handlerThread = inline ? null : new ProcessorThread(ProcessorOptions.thread("verbena-" + number + "-handlers"));
    }

    /** What this process shares with others on this host, if its connections use shared memory. */
    Optional<HostSharing> sharing() {
        return sharedMemory.map(OwnSharing::new);
    }

    /** Rejects options that name another provider. */
    static void checkProvider(RnicOptions options, String provider) {
        if (!options.provider().isEmpty() && !options.provider().equals(provider)) {
            throw new VerbsException(
                    "The provider " + provider + " cannot open an RNIC of provider '" + options.provider() + "'.");
        }
    }

    /** Opens an RNIC in this environment and drives its engines. If that fails, the environment is closed. */
    public SoftRnic open(Supplier<SoftRnic> make) {
        try {
            SoftRnic rnic = make.get();
            drive(index -> Driven.of(rnic.engine(index)));
            shown = LiveRnics.add(rnic);
            WarmUp.begin(rnic.context().options());
            return RecordedRnics.add(rnic);
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** Closes a file when no engine runs any more. */
    ConnectionFile keep(ConnectionFile file) {
        connections = Optional.of(file);
        return file;
    }

    /** Drives engines from now on: in threads of their own, or, INLINE, in the calling thread. Once. */
    public void drive(IntFunction<Driven> engines) {
        if (inline) {
            InlineDriver inlineDriver =
                    new InlineDriver(carriers.sockets(0), carriers.around(engines.apply(0), 0), inlineHandlers);
            driver = inlineDriver;
            driven = true;
            if (standInPeriodNs > 0) {
                carriers.sockets(0).share(inlineDriver);
                standIn = StandIn.start("verbena-" + number + "-stand-in", inlineDriver, standInPeriodNs);
            }
            return;
        }
        EngineThread[] created = new EngineThread[carriers.count()];
        for (int i = 0; i < created.length; i++) {
            created[i] = new EngineThread(
                    "verbena-" + number + "-engine-" + i,
                    carriers.sockets(i),
                    carriers.around(engines.apply(i), i),
                    cores.of(i));
        }
        threads = new EngineThreads(created);
        driven = true;
        threads.start();
    }

    @Override
    public long nowNs() {
        return System.nanoTime();
    }

    @Override
    public RandomSource random() {
        return random;
    }

    @Override
    public MemoryProvider memory() {
        return sharedMemory.<MemoryProvider>map(HostSharedMemory::blocks).orElseGet(OffHeapMemory::new);
    }

    @Override
    public StreamLoop streams(int engine) {
        return carriers.streams(engine);
    }

    @Override
    public PacketLoop packets(int engine) {
        return carriers.packets(engine);
    }

    @Override
    public void wake(int engine) {
        if (!driven) {
            return; // the first turn will see it
        }
        if (inline) {
            driver().wake();
            return;
        }
        threads.wake(engine);
    }

    @Override
    public void checkCaller(int engine) {
        InlineDriver currentDriver = driver;
        if (currentDriver != null) {
            currentDriver.checkCaller();
        }
    }

    @Override
    public boolean hold(int engine) {
        if (!inline) {
            return driven && threads.takeForDoorbell(engine);
        }
        return driver != null && driver().hold();
    }

    @Override
    public void letGo(int engine) {
        if (inline) {
            driver().posted();
        } else {
            threads.letGo(engine);
        }
    }

    @Override
    public boolean beginPost(int engine) {
        return inline ? driver().beginPost() : threads.beginPost(engine);
    }

    @Override
    public void endPost(int engine) {
        if (inline) {
            driver().endPost();
        } else {
            threads.endPost(engine);
        }
    }

    private InlineDriver driver() {
        InlineDriver currentDriver = driver;
        if (currentDriver == null) {
            throw new IllegalStateException("The engine of this RNIC is not started yet.");
        }
        return currentDriver;
    }

    @Override
    public boolean inline() {
        return inline;
    }

    @Override
    public int progress() {
        return poller.progress();
    }

    @Override
    public Poller newPoller() {
        return inline ? new InlinePoller(this::driver) : () -> 0;
    }

    @Override
    public int progress(long timeoutNs) {
        if (inline) {
            return driver().progress(timeoutNs);
        }
        return driven ? threads.progress(timeoutNs) : 0;
    }

    @Override
    public int progress(long timeoutNs, BooleanSupplier seen) {
        if (inline) {
            return driver().progress(timeoutNs, seen);
        }
        return progress(seen.getAsBoolean() ? 0 : timeoutNs);
    }

    @Override
    public void release() {
        threads.release();
    }

    @Override
    public void wakeup() {
        InlineDriver currentDriver = driver;
        if (currentDriver != null) {
            currentDriver.endProgress();
        } else if (driven) {
            threads.endProgress();
        }
    }

    @Override
    public void adopt() {
        if (inline) {
            driver().adopt();
        }
    }

    @Override
    public WaitPoint newWaitPoint() {
        return inline ? new InlineWaitPoint(this::driver) : new ParkingWaitPoint(() -> threads.check());
    }

    @Override
    public WaitPoint newHandlerWaitPoint() {
        return new ParkingWaitPoint(() -> {});
    }

    @Override
    public HandlerProcessor defaultProcessor() {
        ProcessorThread thread = handlerThread;
        return thread != null ? thread : inlineHandlers;
    }

    @Override
    public HandlerProcessor listenerProcessor() {
        ExecutorProcessor threads = listeners;
        return threads != null ? threads : inlineHandlers;
    }

    @Override
    public void onHandlerRun(int handler, int cq, long toHandlerNs, long inHandlerNs, long completions) {
        // The event's class registers itself with JFR, which takes tens of milliseconds: only for a recording.
        if (FlightRecorder.isInitialized()) {
            HandlerRunEvent.tell(handler, cq, toHandlerNs, inHandlerNs, completions);
        }
    }

    @Override
    public Optional<EngineActivity> activity(int engine) {
        return inline ? Optional.of(driver().activity()) : threads.activity(engine);
    }

    @Override
    public void nudge(int engine) {
        if (inline) {
            // The owner may wait in its selector; its next turn checks for work.
            carriers.sockets(0).wakeup();
        } else {
            wake(engine);
        }
    }

    @Override
    public PagingHost paging() {
        return new HostPaging("verbena-" + number);
    }

    @Override
    public boolean closeAwaitsCaller() {
        Thread current = Thread.currentThread();
        StandIn other = standIn;
        ProcessorThread handlers = handlerThread;
        ExecutorProcessor currentListeners = listeners;
        return threads.driveHere()
                || other != null && other.is(current)
                || handlers != null && handlers.is(current)
                || currentListeners != null && currentListeners.runsHere();
    }

    /**
     * Stops driving, see {@link Environment#close}. May be called in the thread of an engine or handler; its current
     * work is then the last in that thread.
     *
     * @throws VerbsException if a handler or an engine does not end within ten seconds
     */
    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        shown.close();
        String late = stop();
        if (late.isEmpty()) {
            carriers.resetTcp();
            connections.ifPresent(ConnectionFile::close);
        }
        closeLoops();
        if (!late.isEmpty()) {
            throw new VerbsException("The RNIC is closed, but " + late + " is still running after 10 seconds.");
        }
    }

    /** Stops everything; names what does not stop. */
    private String stop() {
        String late = threads.stop(STOP_TIMEOUT_NS) ? "" : "an engine";
        InlineDriver currentDriver = driver;
        if (currentDriver != null && !currentDriver.close(STOP_TIMEOUT_NS)) {
            late = "the owner of the INLINE engine";
        }
        StandIn other = standIn;
        if (other != null && !other.stop()) {
            late = "a callback";
        }
        inlineHandlers.close();
        ProcessorThread handlers = handlerThread;
        if (handlers != null && !handlers.close(STOP_TIMEOUT_NS)) {
            late = "a handler";
        }
        ExecutorProcessor currentListeners = listeners;
        if (currentListeners != null && !currentListeners.close(STOP_TIMEOUT_NS)) {
            late = "a listener";
        }
        return late;
    }

    private void closeLoops() {
        try {
            threads.closeLoops();
            if (threads.none()) {
                carriers.close();
            }
        } catch (IOException e) {
            throw new VerbsException("Closing the sockets of the RNIC failed: " + Sentences.reason(e), e);
        } finally {
            capture.ifPresent(CaptureFile::close);
        }
    }
}
