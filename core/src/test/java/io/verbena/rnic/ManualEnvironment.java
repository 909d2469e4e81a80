package io.verbena.rnic;

import io.verbena.base.RandomSource;
import io.verbena.base.Times;
import io.verbena.base.WaitPoint;
import io.verbena.fixture.HeapSharedMemory;
import io.verbena.fixture.StillEnvironment;
import io.verbena.memory.MemoryProvider;
import io.verbena.memory.vmm.PagingHost;
import io.verbena.port.PacketLoop;
import io.verbena.port.StreamLoop;
import io.verbena.port.faults.FaultyPacketLoop;
import io.verbena.port.faults.PacketFaults;
import io.verbena.shm.SharedMemoryLoop;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.WaitInterruptedException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** The environment of one RNIC in a {@link ManualWorld}. */
public final class ManualEnvironment extends StillEnvironment {

    /** Small, so that traffic wraps around and fills the ring. */
    private static final int RING_BYTES = 16 * 1024;

    private final ManualWorld world;
    private final FaultyPacketLoop packets;
    private final int engines;
    private final List<SharedMemoryLoop> rings = new ArrayList<>();
    private Optional<SoftRnic> rnic = Optional.empty();
    private boolean closed;

    /** Engines that were woken, in order, for tests of doorbells. */
    public final List<Integer> woken = new ArrayList<>();

    /** Handlers and listeners that wait to be run. Any thread adds to the queue. */
    final ConcurrentLinkedQueue<Runnable> handlers = new ConcurrentLinkedQueue<>();

    /** The files and the pager. */
    public final ManualPaging paging = new ManualPaging();

    /** Whether the thread of the test is alone with the engines between {@link #hold} and {@link #wake}. */
    boolean alone;

    /** A step of a post that executes. */
    enum PostStep {
        /** The thread that posts asks for the engine. */
        HELD,
        /** It has the engine, and its accesses of memory have not begun. */
        BEGUN,
        /** The work is complete, and its accesses have ended. */
        ENDED
    }

    /** Runs at each step of a post, in which other RNICs have turns and this one has none. */
    Consumer<PostStep> atStep = step -> {};

    private boolean stepping;

    /** While true, handlers are held. */
    public boolean holdsHandlers;

    /** While true, handlers of the default processor run in the thread that signals them. */
    public boolean runsHandlersAtOnce;

    /**
     * While true, handlers run in threads of the test, in real time, and the wait for their end uses real time as well.
     */
    public boolean handlersHaveThreads;

    ManualEnvironment(ManualWorld world, int engines) {
        this.world = world;
        this.engines = engines;
        world.sharedMemory.ifPresent(memory -> {
            for (int i = 0; i < engines; i++) {
                rings.add(
                        new SharedMemoryLoop(world.network, memory, world.random::nextLong, RING_BYTES, world.direct));
            }
        });
        packets = new FaultyPacketLoop(world.packets, world.packetFaults, world.random::nextLong, world.nowNs);
    }

    @Override
    public MemoryProvider memory() {
        return world.sharedMemory.<MemoryProvider>map(HeapSharedMemory::blocks).orElseGet(super::memory);
    }

    public static ManualEnvironment of(SoftRnic rnic) {
        return (ManualEnvironment) rnic.context().environment();
    }

    void rnic(SoftRnic softRnic) {
        rnic = Optional.of(softRnic);
    }

    SoftRnic rnic() {
        return rnic.orElseThrow();
    }

    public boolean drive() {
        if (closed || stepping) {
            return false;
        }
        int work = packets.turn(world.nowNs);
        for (int i = 0; i < engines; i++) {
            work += rnic().engine(i).turn(world.nowNs);
        }
        if (!holdsHandlers) {
            ArrayDeque<Runnable> now = new ArrayDeque<>();
            for (Runnable next = handlers.poll(); next != null; next = handlers.poll()) {
                now.add(next);
            }
            work += now.size();
            now.forEach(Runnable::run);
        }
        if (paging.turn()) {
            work++;
        }
        work += pollRings();
        for (SharedMemoryLoop each : rings) {
            // As the driver of a real engine: a side without work sleeps, and only its socket wakes it.
            work += work > 0 || each.fallAsleep() ? 0 : 1;
        }
        return work > 0;
    }

    /** Streams through shared memory report their readiness; returns how many did. */
    int pollRings() {
        int events = 0;
        for (int i = 0; i < rings.size(); i++) {
            events += rings.get(i).poll();
        }
        return events;
    }

    @Override
    public PagingHost paging() {
        return paging;
    }

    long nextDeadlineNs() {
        long next = closed ? Long.MAX_VALUE : packets.nextDeadlineNs();
        for (int i = 0; i < engines && !closed; i++) {
            long deadlineNs = rnic().engine(i).nextDeadlineNs();
            next = Times.earlier(next, deadlineNs);
        }
        return next;
    }

    @Override
    public long nowNs() {
        return world.nowNs;
    }

    @Override
    public RandomSource random() {
        world.atRandom.run();
        return world.random::nextLong;
    }

    @Override
    public StreamLoop streams(int engine) {
        return rings.isEmpty() ? world.streams : rings.get(engine);
    }

    @Override
    public PacketLoop packets(int engine) {
        return world.packetFaults.equals(PacketFaults.none()) ? world.packets : packets;
    }

    @Override
    public boolean hold(int engine) {
        if (alone) {
            step(PostStep.HELD);
        }
        return alone;
    }

    @Override
    public boolean beginPost(int engine) {
        step(PostStep.BEGUN);
        return true;
    }

    @Override
    public void endPost(int engine) {
        step(PostStep.ENDED);
    }

    private void step(PostStep step) {
        stepping = true;
        atStep.accept(step);
        stepping = false;
    }

    @Override
    public void wake(int engine) {
        synchronized (woken) {
            woken.add(engine);
        }
    }

    @Override
    protected boolean await(BooleanSupplier condition, long timeoutNs) {
        if (Thread.currentThread().isInterrupted() && !condition.getAsBoolean()) {
            throw new WaitInterruptedException();
        }
        return awaitUninterruptibly(condition, timeoutNs);
    }

    @Override
    protected boolean awaitUninterruptibly(BooleanSupplier condition, long timeoutNs) {
        return world.await(condition, timeoutNs);
    }

    @Override
    public HandlerProcessor defaultProcessor() {
        return this::signal;
    }

    private void signal(CqHandlerId id, Runnable work) {
        if (runsHandlersAtOnce) {
            work.run();
        } else {
            handlers.add(work);
        }
    }

    @Override
    public WaitPoint newHandlerWaitPoint() {
        WaitPoint driven = newWaitPoint();
        WaitPoint real = super.newHandlerWaitPoint();
        return new WaitPoint() {
            @Override
            public boolean await(BooleanSupplier condition, long timeoutNs) {
                return (handlersHaveThreads ? real : driven).await(condition, timeoutNs);
            }

            @Override
            public void signal() {}
        };
    }

    @Override
    public void close() {
        closed = true;
        handlers.clear();
    }
}
