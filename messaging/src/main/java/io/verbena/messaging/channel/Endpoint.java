package io.verbena.messaging.channel;

import io.verbena.messaging.policy.EnlargementPolicy;
import io.verbena.messaging.ring.AcknowledgementPath;
import io.verbena.messaging.ring.Allocations;
import io.verbena.messaging.ring.BufferSource;
import io.verbena.messaging.ring.ChannelGreeting;
import io.verbena.messaging.ring.MemoryBudget;
import io.verbena.messaging.ring.PostingBatch;
import io.verbena.messaging.ring.RingEnvironment;
import io.verbena.messaging.ring.RingPoster;
import io.verbena.messaging.ring.Words;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.WaitInterruptedException;
import io.verbena.verbs.WorkOpcode;
import java.io.IOException;
import java.net.SocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * Channels over one RNIC, and the place where they make progress. One thread at a time uses an endpoint and its channels.
 *
 * <p>At most {@link ChannelOptions#maxPolled} channels are polled. All others are found by a completion, so that the cost of progress does
 * not grow with the number of idle channels.
 */
public final class Endpoint implements AutoCloseable {

    private static final long MAX_CLOSE_NS = 5_000_000_000L;
    private static final Duration CLOSE_WAIT = Duration.ofMillis(1);
    private static final int SPARE_COMPLETIONS = 64;
    private static final int FIXED_COMPLETIONS = 1 << 15;

    private final Rnic rnic;
    private final Words words;
    private ChannelOptions options;
    private final ChannelListener listener;
    private final RingEnvironment rings;
    private final CompletionQueue completionQueue;
    private final CompletionCursor cursor;
    private final Element element;
    private final PolledChannels polled;
    private final ChannelSet channels;
    private final ChannelAcceptor acceptor = new ChannelAcceptor(this);
    private final Runnable figures = this::emitFigures;
    private final RnicRounds rounds = new RnicRounds();

    private Optional<RankHost> host = Optional.empty();
    private boolean inside;
    private boolean closed;
    private boolean direct;
    private Allocations allocations = new Allocations(Optional.empty());
    private int neededCompletions = SPARE_COMPLETIONS;

    /** Creates an endpoint over an RNIC, which stays open when the endpoint is closed. */
    public Endpoint(Rnic rnic, ChannelOptions options, ChannelListener listener) {
        this(rnic, options, listener, System::nanoTime, new SecureRandom());
    }

    /**
     * Creates an endpoint with another clock and another source of randomness, for simulations.
     *
     * @param clock nanoseconds; only differences are used
     * @param random source of nonces
     */
    public Endpoint(
            Rnic rnic, ChannelOptions options, ChannelListener listener, LongSupplier clock, RandomGenerator random) {
        words = words(rnic.query().operations());
        this.rnic = rnic;
        this.options = options;
        this.listener = listener;
        rings = new RingEnvironment(
                new MemoryBudget(options.memoryBudgetBytes()), options.maxPayloadBytes(), clock, random);
        element = new Element(rings.slot());
        completionQueue =
                rnic.createCompletionQueue(firstCapacity(words, rnic.query().maxCompletionEntries()));
        cursor = completionQueue.cursor();
        polled = new PolledChannels(options.maxPolled());
        channels = new ChannelSet(clock.getAsLong());
        FlightRecorder.addPeriodicEvent(ChannelEvent.class, figures);
    }

    private static Words words(Set<WorkOpcode> operations) {
        boolean immediate = operations.contains(WorkOpcode.WRITE_WITH_IMMEDIATE)
                && operations.contains(WorkOpcode.SEND_WITH_IMMEDIATE);
        return immediate ? Words.EITHER : Words.SENDS_ONLY;
    }

    /** Capacity of the CQ at first. An iWARP adapter may be unable to resize a CQ, as siw is: its CQ has space for many channels. */
    private static int firstCapacity(Words words, int most) {
        return words == Words.SENDS_ONLY ? Math.min(FIXED_COMPLETIONS, most) : SPARE_COMPLETIONS;
    }

    /** How this side can exchange words. */
    Words words() {
        return words;
    }

    /**
     * The RNIC was opened with direct access to shared memory; before the first connection. All connections have one
     * protection domain then, so that memory of {@link #allocations} is registered once.
     */
    public void allowDirect() {
        direct = true;
        allocations = new Allocations(Optional.of(rnic.allocateProtectionDomain()));
    }

    /** Memory for the messages of the program. */
    public Allocations allocations() {
        return allocations;
    }

    boolean direct() {
        return direct;
    }

    /** A peer writes its elements without the RNIC of this side. */
    void pollRingsFirst() {
        rounds.pollRingsFirst();
    }

    // Connections.

    /** Accepts connections of peers at an address; port 0 lets the system choose. Returns the address. */
    public SocketAddress listen(SocketAddress address) throws IOException {
        return acceptor.listen(address);
    }

    /** Starts to connect; {@link ChannelListener#opened} or {@link ChannelListener#ended} reports the result. */
    public Channel connect(SocketAddress remote, byte[] hello) {
        checkHello(hello);
        Channel channel = newChannel();
        ChannelDriver driver = channel.driver();
        ConnectionOptions connectionOptions = options.connection().withPrivateData(driver.greeting(hello));
        start(driver, () -> rnic.startConnect(driver.queuePair(), remote, connectionOptions), Optional.empty());
        return channel;
    }

    void accept(ConnectionRequest request, ChannelGreeting greeting) {
        byte[] answer = listener.answer(greeting.hello());
        checkHello(answer);
        Channel channel = newChannel();
        ChannelDriver driver = channel.driver();
        ConnectionOptions connectionOptions = options.connection().withPrivateData(driver.greeting(answer));
        start(driver, () -> request.startAccept(driver.queuePair(), connectionOptions), Optional.of(greeting));
        listener.accepted(channel);
    }

    /** Starts the set-up of a connection; a channel whose set-up cannot start is released. */
    private void start(ChannelDriver driver, Supplier<Connection> setUp, Optional<ChannelGreeting> greeting) {
        boolean started = false;
        try {
            driver.start(setUp.get(), greeting);
            started = true;
        } finally {
            if (!started) {
                channels.discard(driver);
                neededCompletions -= ChannelDriver.completions(options);
            }
        }
    }

    private static void checkHello(byte[] hello) {
        if (hello.length > ChannelGreeting.MAX_HELLO_BYTES) {
            throw new IllegalArgumentException(
                    "a hello has at most " + ChannelGreeting.MAX_HELLO_BYTES + " bytes, not " + hello.length);
        }
    }

    private Channel newChannel() {
        if (closed) {
            throw new IllegalStateException("the endpoint is closed");
        }
        int needed = neededCompletions + ChannelDriver.completions(options);
        if (needed > completionQueue.capacity()) {
            completionQueue.resize(2 * needed);
        }
        if (!rings.budget().reserve(options.controlBytes())) {
            throw new MessagingException("The budget for registered memory, " + options.memoryBudgetBytes()
                    + " bytes, is used up: no further channel can be created. Increase memoryBudgetBytes.");
        }
        boolean complete = false;
        try {
            Channel channel = new Channel(this);
            complete = true;
            neededCompletions = needed;
            channels.add(channel);
            return channel;
        } finally {
            if (!complete) {
                rings.budget().reserve(-options.controlBytes());
            }
        }
    }

    /** Sets another policy for all channels, from the next element on. */
    public void policy(EnlargementPolicy value) {
        options = options.withPolicy(value);
        rings.maxPayloadBytes(options.maxPayloadBytes());
        for (Channel channel : channels.all()) {
            channel.policy(value);
        }
    }

    /** All channels that have not ended. */
    public List<Channel> channels() {
        return List.copyOf(channels.all());
    }

    /** Present number of registered bytes of rings, staging buffers and control blocks. */
    public long registeredBytes() {
        return rings.budget().reservedBytes();
    }

    /** Number of channels whose rings are polled. */
    public int polledChannels() {
        return polled.size();
    }

    // Progress.

    /**
     * Does the work that is possible now, without waiting: drives an INLINE RNIC, polls completions and rings, sends acknowledgements, and
     * checks what is awaited.
     *
     * @return a measure of the work done, 0 if there was none
     */
    public int progress() {
        return progress(false);
    }

    /**
     * The same.
     *
     * @param busy whether the caller has work of its own next: the RNIC, which may wait if it finds
     *     nothing, is driven in some rounds only if peers write their elements without it
     */
    public int progress(boolean busy) {
        if (inside || closed) {
            return 0; // called by a listener
        }
        inside = true;
        PostingBatch batch = rings.batch();
        boolean started = batch.start();
        try {
            long nowNs = rings.nowNs();
            int work = rounds.ringsFirst() ? polled.poll(nowNs) : 0;
            if (rounds.serves(work == 0 && !busy, rings.awaitsCompletions(), nowNs)) {
                work += pollCompletions(nowNs);
                acceptor.acceptRequests();
                work += polled.poll(nowNs);
            }
            channels.service(nowNs);
            return work;
        } finally {
            inside = false;
            batch.end(started);
            releaseEnded();
        }
    }

    /** Returns whether a peer has written something that {@link #progress} takes and no event of the RNIC shows. */
    public boolean seen() {
        return polled.seen() || channels.seen();
    }

    private int pollCompletions(long nowNs) {
        int work = 0;
        while (cursor.next()) {
            work++;
            if (cursor.opcode() != CompletionOpcode.RECEIVE) {
                rings.onCompleted();
            }
            Channel channel = channelOf();
            if (channel == null) {
                continue;
            }
            CompletionOpcode opcode = cursor.opcode();
            boolean ok = cursor.ok();
            try {
                if (opcode == CompletionOpcode.WRITE && RingPoster.isRequest(cursor.wrId())) {
                    if (ok) {
                        channel.driver().onRequestWritten(RingPoster.virtualChannelOf(cursor.wrId()));
                    }
                } else if (opcode == CompletionOpcode.WRITE ? ok : isTransfer(opcode)) {
                    listener.transferred(channel, cursor.wrId(), ok);
                }
            } finally {
                if (!ok) {
                    channel.driver().lost(cursor.reason());
                }
            }
            if (ok && cursor.hasImmediate()) {
                channel.driver().onWord((int) cursor.wrId(), cursor.immediate(), nowNs);
            } else if (ok && opcode == CompletionOpcode.RECEIVE) {
                channel.driver().onReceived((int) cursor.wrId(), (int) cursor.byteCount(), nowNs);
            }
            if (rounds.ringsFirst() && !rings.awaitsCompletions()) {
                break; // to find none would take a turn of the RNIC
            }
        }
        return work;
    }

    /** Returns whether a completion, successful or not, is that of a Read or an atomic operation. */
    private static boolean isTransfer(CompletionOpcode opcode) {
        return opcode == CompletionOpcode.READ
                || opcode == CompletionOpcode.FETCH_AND_ADD
                || opcode == CompletionOpcode.COMPARE_AND_SWAP;
    }

    private @Nullable Channel channelOf() {
        try {
            return (Channel) cursor.queuePair().context();
        } catch (IllegalStateException e) {
            return null; // the channel has been released
        }
    }

    private void releaseEnded() {
        int released = channels.releaseEnded();
        if (released > 0) {
            neededCompletions -= released * ChannelDriver.completions(options);
            rings.onReleased();
        }
    }

    private void emitFigures() {
        for (Channel channel : channels.all()) {
            ChannelEvent.emit(channel.peer(), channel.figures(), "");
        }
        listener.emitFigures();
    }

    /** Waits are pauses of this host from now on. */
    public void host(RankHost value) {
        host = Optional.of(value);
    }

    // End.

    /** Closes all channels in the regular way and releases all resources; the RNIC stays open. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        if (inside) {
            throw new IllegalStateException(
                    "a listener cannot close its endpoint: close it after progress() has returned");
        }
        acceptor.close();
        for (Channel channel : channels.all()) {
            channel.close();
        }
        long startNs = rings.nowNs();
        while (!channels.all().isEmpty()
                && rings.nowNs() - startNs < MAX_CLOSE_NS
                && !Thread.currentThread().isInterrupted()) {
            if (progress() == 0 && !pause()) {
                break;
            }
        }
        for (Channel channel : channels.all()) {
            channel.fail("The endpoint was closed.");
        }
        releaseEnded();
        closed = true;
        FlightRecorder.removePeriodicEvent(figures);
        completionQueue.close();
    }

    /** Waits for completions for a short time; returns false if the thread was interrupted. */
    private boolean pause() {
        if (host.isPresent()) {
            host.get().pause();
            return true;
        }
        try {
            completionQueue.await(CLOSE_WAIT);
            return true;
        } catch (WaitInterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Stops the use of the endpoint; for a caller that closes the RNIC next, which ends all connections at once. */
    public void abort() {
        closed = true;
        FlightRecorder.removePeriodicEvent(figures);
    }

    // For channels and the layer above in this package.

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

    public RingEnvironment rings() {
        return rings;
    }

    PolledChannels polledSet() {
        return polled;
    }

    ChannelSet channelSet() {
        return channels;
    }

    boolean deliver(Channel channel) {
        return listener.arrived(channel, element);
    }

    /** Replaces the source of buffers and the path of acknowledgements; for tests. */
    public void replace(BufferSource buffers, AcknowledgementPath acknowledgements) {
        rings.replace(buffers, acknowledgements);
    }
}
