package io.verbena.netty;

import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.SelectStrategy;
import io.netty.channel.SelectStrategyFactory;
import io.netty.util.IntSupplier;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.verbena.sockets.stream.StreamNetwork;
import io.verbena.sockets.stream.WaitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The I/O of an event loop whose channels are stream sockets over the verbs.
 *
 * <pre>{@code
 * EventLoopGroup group = new MultiThreadIoEventLoopGroup(VerbenaIoHandler.newFactory());
 * new Bootstrap().group(group).channel(VerbenaSocketChannel.class) …
 * }</pre>
 */
public final class VerbenaIoHandler implements IoHandler {

    private static final System.Logger LOG = System.getLogger("io.verbena.netty");

    private final ThreadAwareExecutor executor;
    private final StreamNetwork network;
    private final SelectStrategy strategy;
    private final WaitSet<Registration> ready;

    /** Of the event loop. */
    private final Set<Registration> registrations = new HashSet<>();

    /** For the strategy: whether a channel is ready. */
    private final IntSupplier readyNow;

    private volatile boolean woken;

    private VerbenaIoHandler(ThreadAwareExecutor executor, StreamNetwork network, SelectStrategy strategy) {
        this.executor = executor;
        this.network = network;
        this.strategy = strategy;
        ready = new WaitSet<>(
                network.driver(), () -> woken || Thread.currentThread().isInterrupted());
        readyNow = () -> ready.isEmpty() ? 0 : 1;
    }

    /**
     * Handlers of a network that all such handlers of the process share. It is opened when the first of them is made: shared memory on
     * one host, iWARP to others.
     */
    public static IoHandlerFactory newFactory() {
        return newFactory(DefaultSelectStrategyFactory.INSTANCE);
    }

    /**
     * As {@link #newFactory()}, with a strategy of Netty that chooses between waiting and polling. {@link SelectStrategy#BUSY_WAIT} polls the
     * completion queues without waiting, which takes a whole processor for each event loop.
     */
    public static IoHandlerFactory newFactory(SelectStrategyFactory strategies) {
        return new Factory(SharedNetwork::open, strategies);
    }

    /** Handlers of a network of the program, which closes it after the event loops. */
    public static IoHandlerFactory newFactory(StreamNetwork network) {
        return newFactory(network, DefaultSelectStrategyFactory.INSTANCE);
    }

    /** As {@link #newFactory(StreamNetwork)}, with a strategy as in {@link #newFactory(SelectStrategyFactory)}. */
    public static IoHandlerFactory newFactory(StreamNetwork network, SelectStrategyFactory strategies) {
        return new Factory(() -> network, strategies);
    }

    private record Factory(Supplier<StreamNetwork> network, SelectStrategyFactory strategies)
            implements IoHandlerFactory {

        @Override
        public IoHandler newHandler(ThreadAwareExecutor executor) {
            return new VerbenaIoHandler(executor, network.get(), strategies.newSelectStrategy());
        }

        /** A wait belongs to the thread that waits, not to the handler. */
        @Override
        public boolean isChangingThreadSupported() {
            return true;
        }
    }

    @Override
    public int run(IoHandlerContext context) {
        switch (choose(!context.canBlock())) {
            case SelectStrategy.CONTINUE -> {
                return 0;
            }
            case SelectStrategy.BUSY_WAIT -> ready.pollNow();
            case SelectStrategy.SELECT -> {
                if (ready.isEmpty() && !woken) {
                    await(context.delayNanos(System.nanoTime()));
                } else {
                    ready.poll();
                }
            }
            default -> ready.poll();
        }
        woken = false; // the loop runs its tasks after this
        if (!context.shouldReportActiveIoTime()) {
            return dispatch();
        }
        long startNs = System.nanoTime();
        int handled = dispatch();
        context.reportActiveIoTime(System.nanoTime() - startNs);
        return handled;
    }

    /** Waits for so long at most. An interrupt ends the wait and is cleared, because else no later wait would wait. */
    private void await(long timeoutNs) {
        ready.await(timeoutNs);
        if (ready.isEmpty() && !woken) {
            Thread.interrupted();
        }
    }

    /** Whether the calling thread is the one of the event loop. */
    boolean inLoop() {
        return executor.isExecutorThread(Thread.currentThread());
    }

    private int choose(boolean hasTasks) {
        try {
            return strategy.calculateStrategy(readyNow, hasTasks);
        } catch (Exception e) {
            throw new IllegalStateException("The select strategy of the event loop has failed.", e);
        }
    }

    /** Handles the channels that are ready now. What becomes ready meanwhile is handled in the next turn, after the tasks of the loop. */
    private int dispatch() {
        int handled = 0;
        WaitSet.Entry<Registration> next = ready.takeAll();
        while (next != null) {
            WaitSet.Entry<Registration> after = next.unlink(); // dispatching may list the registration again
            if (next.member().dispatch()) {
                handled++;
            }
            next = after;
        }
        return handled;
    }

    void onReady(WaitSet.Entry<Registration> registration) {
        ready.signal(registration);
    }

    @Override
    public void wakeup() {
        if (!executor.isExecutorThread(Thread.currentThread())) {
            woken = true;
            ready.wake();
        }
    }

    @Override
    public IoRegistration register(IoHandle handle) {
        if (!(handle instanceof VerbenaIoHandle ours)) {
            throw new IllegalArgumentException("A channel of this transport is required, not "
                    + handle.getClass().getName() + ".");
        }
        Registration registration = new Registration(this, ours);
        ours.attach(network, registration);
        registrations.add(registration);
        ours.registered();
        return registration;
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return VerbenaIoHandle.class.isAssignableFrom(handleType);
    }

    void cancelled(Registration registration) {
        if (executor.isExecutorThread(Thread.currentThread())) {
            forget(registration);
        } else {
            executor.execute(() -> forget(registration));
        }
    }

    private void forget(Registration registration) {
        assert inLoop() : "the registrations belong to the event loop";
        if (registrations.remove(registration)) {
            registration.handle().unregistered();
        }
    }

    /** Closes the channels that the program has left open. */
    @Override
    public void prepareToDestroy() {
        for (Registration registration : List.copyOf(registrations)) {
            close(registration.handle());
        }
    }

    /** A loop that is shut down at the end of a turn does not prepare for that: then its channels are still open. */
    @Override
    public void destroy() {
        prepareToDestroy();
    }

    static void close(IoHandle handle) {
        try {
            handle.close();
        } catch (Exception | Error e) {
            LOG.log(System.Logger.Level.WARNING, "A channel could not be closed.", e);
        }
    }
}
