package io.verbena.messaging;

import io.verbena.messaging.policy.EnlargementPolicy;
import io.verbena.messaging.protocol.PolledSet;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.WaitInterruptedException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * Channels over one RNIC, and the one place where they make progress. One thread at a time uses an endpoint and its channels.
 *
 * <p>At most {@link ChannelOptions#maxPolled} channels are polled; all others are found by a completion, so that cost does
 * not grow with idle channels.
 */
public final class Endpoint implements AutoCloseable {

    /** A polled channel idle for less than this is not replaced by a busier one. */
    private static final long LEAST_IDLE_NS = 200_000;

    private static final long SWEEP_NS = 1_000_000;
    private static final int SWEEP_CHANNELS = 64;
    private static final long CLOSE_NS = 5_000_000_000L;

    /** What goes with our own no; an RNIC that says no for want of an answer has nothing to say. */
    private static final byte[] REFUSAL = {1};

    private final Rnic rnic;
    private ChannelOptions options;
    private final ChannelListener listener;
    private final LongSupplier clock;
    private final RandomGenerator random;
    private final CompletionQueue completionQueue;
    private final CompletionCursor cursor;
    private final MemoryBudget budget;
    private final Element element = new Element();
    private final MemorySegment scratch = Arena.ofAuto().allocate(128, 64);
    private final PolledSet<Channel.Polled> polled;
    private final List<Channel> channels = new CopyOnWriteArrayList<>();
    private final List<Channel> active = new ArrayList<>();
    private final List<Channel> ending = new ArrayList<>();
    private final List<Channel> batches = new ArrayList<>();
    private final Runnable figures = this::emitFigures;

    private BufferSource buffers = BufferSource.verbs();
    private AcknowledgementPath acknowledgements = AcknowledgementPath.oneWrite(scratch);
    private @Nullable Listener listening;
    private volatile boolean requestsWait;
    private boolean inside;
    private boolean batching;
    private boolean closed;
    private int neededCompletions;
    private int sweepAt;
    private long nextSweepNs;

    /** Channels over an RNIC, which stays the caller's. */
    public Endpoint(Rnic rnic, ChannelOptions options, ChannelListener listener) {
        this(rnic, options, listener, System::nanoTime, new java.security.SecureRandom());
    }

    /**
     * With another clock and other chance, for simulations.
     *
     * @param clock nanoseconds, of which only differences are taken
     * @param random where nonces come from
     */
    public Endpoint(
            Rnic rnic, ChannelOptions options, ChannelListener listener, LongSupplier clock, RandomGenerator random) {
        this.rnic = rnic;
        this.options = options;
        this.listener = listener;
        this.clock = clock;
        this.random = random;
        budget = new MemoryBudget(options.memoryBudgetBytes());
        neededCompletions = 64;
        completionQueue = rnic.createCompletionQueue(neededCompletions);
        cursor = completionQueue.cursor();
        polled = new PolledSet<>(options.maxPolled(), LEAST_IDLE_NS);
        nextSweepNs = clock.getAsLong() + SWEEP_NS;
        FlightRecorder.addPeriodicEvent(ChannelEvent.class, figures);
    }

    // What its user does.

    /** Lets peers connect here; port 0: the system chooses. Returns where it listens. */
    public SocketAddress listen(SocketAddress address) throws IOException {
        Listener made = rnic.listen(address);
        listening = made;
        made.onReady(() -> requestsWait = true);
        return made.localAddress();
    }

    /** Starts to connect; {@link ChannelListener#opened} or {@link ChannelListener#ended} tell how it went. */
    public Channel connect(SocketAddress remote, byte[] hello) {
        checkHello(hello);
        Channel channel = newChannel();
        ConnectionOptions how = options.connection().withPrivateData(channel.greeting(hello));
        Connection connection = rnic.startConnect(channel.queuePair(), remote, how);
        channel.connecting(connection, new byte[0], Optional.empty());
        return channel;
    }

    /** Another policy for all channels, from the next element on. */
    public void policy(EnlargementPolicy value) {
        options = options.withPolicy(value);
        for (Channel channel : channels) {
            channel.policy(value);
        }
    }

    /** All channels that are not over. */
    public List<Channel> channels() {
        return List.copyOf(channels);
    }

    /** Registered bytes of rings, staging and control blocks, now. */
    public long registeredBytes() {
        return budget.reservedBytes();
    }

    /** Channels whose rings are polled. */
    public int polledChannels() {
        return polled.size();
    }

    /**
     * Does what is to be done now, without waiting: drives an INLINE RNIC, takes completions and elements, acknowledges,
     * looks after what is awaited.
     *
     * @return a measure of the work done, 0 when there was none
     */
    public int progress() {
        if (inside || closed) {
            return 0; // called by a listener
        }
        inside = true;
        boolean outermost = startBatch();
        try {
            long nowNs = clock.getAsLong();
            int work = takeCompletions(nowNs);
            if (requestsWait) {
                takeRequests();
            }
            for (int i = 0; i < polled.size(); i++) {
                work += polled.get(i).channel.poll(nowNs);
            }
            for (int i = active.size() - 1; i >= 0; i--) {
                if (i < active.size() && !active.get(i).tend(nowNs)) {
                    active.remove(i);
                }
            }
            if (nowNs - nextSweepNs >= 0) {
                sweep(nowNs);
            }
            return work;
        } finally {
            inside = false;
            endBatch(outermost);
            if (!ending.isEmpty()) {
                releaseEnded();
            }
        }
    }

    /**
     * From now on what channels post goes out together: frames share a system call.
     *
     * @return whether this call began it, so that its end is the caller's
     */
    boolean startBatch() {
        boolean begins = !batching;
        batching = true;
        return begins;
    }

    /** Lets go what was posted, if it is the caller who began. */
    void endBatch(boolean mine) {
        if (!mine) {
            return;
        }
        batching = false;
        for (int i = 0; i < batches.size(); i++) {
            batches.get(i).endBatch();
        }
        batches.clear();
    }

    /** Whether a channel that is about to post should wait for others. */
    boolean joinBatch(Channel channel) {
        if (batching) {
            batches.add(channel);
        }
        return batching;
    }

    /** Ends all channels in good order, then frees everything; the RNIC stays open. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        Listener mine = listening;
        if (mine != null) {
            mine.close();
        }
        for (Channel channel : channels) {
            channel.close();
        }
        long startNs = clock.getAsLong();
        while (!channels.isEmpty()
                && clock.getAsLong() - startNs < CLOSE_NS
                && !Thread.currentThread().isInterrupted()) {
            if (progress() == 0 && !pause()) {
                break;
            }
        }
        for (Channel channel : channels) {
            channel.fail("The endpoint was closed.");
        }
        releaseEnded();
        closed = true;
        FlightRecorder.removePeriodicEvent(figures);
        completionQueue.close();
    }

    /** Waits a moment for completions; false when the thread was interrupted. */
    private boolean pause() {
        try {
            completionQueue.await(Duration.ofMillis(1));
            return true;
        } catch (WaitInterruptedException e) {
            return false;
        }
    }

    /** Is not used any more; its RNIC is about to be closed, which ends all connections at once. */
    public void abort() {
        closed = true;
        FlightRecorder.removePeriodicEvent(figures);
    }

    // For channels.

    Rnic rnic() {
        return rnic;
    }

    ChannelOptions options() {
        return options;
    }

    ChannelListener listener() {
        return listener;
    }

    CompletionQueue completionQueue() {
        return completionQueue;
    }

    MemoryBudget budget() {
        return budget;
    }

    Element element() {
        return element;
    }

    MemorySegment scratch() {
        return scratch;
    }

    BufferSource buffers() {
        return buffers;
    }

    AcknowledgementPath acknowledgements() {
        return acknowledgements;
    }

    /** For tests: a system without memory, acknowledgements that go wrong. */
    void replace(BufferSource newBuffers, AcknowledgementPath newAcknowledgements) {
        buffers = newBuffers;
        acknowledgements = newAcknowledgements;
    }

    long newNonce() {
        return random.nextLong();
    }

    long nowNs() {
        return clock.getAsLong();
    }

    void activated(Channel channel) {
        active.add(channel);
    }

    /** A channel announced a message: it is polled from now on if there is room, else room is made for the next time. */
    void announced(Channel channel, long nowNs) {
        if (channel.polledMark().polled()) {
            return;
        }
        if (polled.admit(channel.polledMark(), nowNs)) {
            channel.sendImmediate(Immediate.QUIET.with(0, 0));
            return;
        }
        Optional<Channel.Polled> idle = polled.replaceable(nowNs);
        if (idle.isPresent()) {
            idle.get().channel.sendImmediate(Immediate.ANNOUNCE.with(0, 0));
        }
    }

    void leaves(Channel channel) {
        polled.remove(channel.polledMark());
    }

    void ending(Channel channel) {
        ending.add(channel);
    }

    // Progress.

    private int takeCompletions(long nowNs) {
        int work = 0;
        while (cursor.next()) {
            work++;
            Channel channel = channelOf();
            if (channel == null) {
                continue;
            }
            CompletionOpcode opcode = cursor.opcode();
            if (opcode == CompletionOpcode.READ || opcode == CompletionOpcode.WRITE && cursor.ok()) {
                listener.transferred(channel, cursor.wrId(), cursor.ok());
            }
            if (!cursor.ok()) {
                channel.lost(cursor.reason());
            } else if (cursor.hasImmediate()) {
                channel.onImmediate(cursor.immediate(), nowNs);
            }
        }
        return work;
    }

    private @Nullable Channel channelOf() {
        try {
            return (Channel) cursor.queuePair().context();
        } catch (IllegalStateException e) {
            return null; // of a channel that was freed meanwhile
        }
    }

    private void takeRequests() {
        requestsWait = false;
        Listener mine = listening;
        while (mine != null && !mine.closed()) {
            Optional<ConnectionRequest> request = mine.nextRequest(Duration.ZERO);
            if (request.isEmpty()) {
                return;
            }
            admit(request.get());
        }
    }

    private void admit(ConnectionRequest request) {
        Optional<Greeting> greeting = Greeting.of(request.privateData());
        long bytes = (long) options.virtualChannels() * ControlBlock.BYTES;
        if (greeting.isEmpty()
                || !budget.holds(bytes)
                || greeting.get().virtualChannels() != options.virtualChannels()
                || !listener.admits(greeting.get().hello())) {
            request.reject(REFUSAL);
            return;
        }
        byte[] answer = listener.answer(greeting.get().hello());
        checkHello(answer);
        Channel channel = newChannel();
        ConnectionOptions how = options.connection().withPrivateData(channel.greeting(answer));
        Connection connection = request.startAccept(channel.queuePair(), how);
        channel.connecting(connection, greeting.get().hello(), greeting);
        listener.accepted(channel);
    }

    private Channel newChannel() {
        if (closed) {
            throw new IllegalStateException("the endpoint is closed");
        }
        neededCompletions += Channel.completions(options);
        if (neededCompletions > completionQueue.capacity()) {
            completionQueue.resize(2 * neededCompletions);
        }
        if (!budget.reserve((long) options.virtualChannels() * ControlBlock.BYTES)) {
            throw new MessagingException("The budget for registered memory, " + options.memoryBudgetBytes()
                    + " bytes, is used up: there is no room for one more channel.");
        }
        Channel channel = new Channel(this, nowNs());
        channels.add(channel);
        return channel;
    }

    /** A few channels at a time are asked whether they have been idle for long. */
    private void sweep(long nowNs) {
        nextSweepNs = nowNs + SWEEP_NS;
        int many = Math.min(SWEEP_CHANNELS, channels.size());
        for (int i = 0; i < many; i++) {
            sweepAt = sweepAt + 1 < channels.size() ? sweepAt + 1 : 0;
            channels.get(sweepAt).shrinkIfIdle(nowNs);
        }
    }

    private void releaseEnded() {
        for (Channel channel : ending) {
            active.remove(channel);
            channels.remove(channel);
            neededCompletions -= Channel.completions(options);
            channel.release();
        }
        ending.clear();
    }

    private void emitFigures() {
        for (Channel channel : channels) {
            ChannelEvent.emit(channel.peer(), channel.figures(), "");
        }
    }

    private static void checkHello(byte[] hello) {
        if (hello.length > Greeting.MAX_HELLO_BYTES) {
            throw new IllegalArgumentException(
                    "a hello has " + Greeting.MAX_HELLO_BYTES + " bytes at most, not " + hello.length);
        }
    }
}
