package io.verbena.sim;

import io.verbena.base.Digest;
import io.verbena.rnic.SoftRnic;
import io.verbena.rnic.iwarp.IwarpTransport;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * RNICs in virtual time: one thread, one clock, one event queue, one seed. It opens RNICs whose engines it drives and
 * connects them by virtual byte streams. A wait on any object of such an RNIC drives the World, and virtual time
 * passes. Two runs of one seed are identical, event by event; {@link #traceHash} shows whether they were.
 *
 * <pre>{@code
 * try (World world = new World(7, Profile.TORN)) {
 *     VirtualHost server = world.addHost(RnicOptions.defaults());
 *     Listener listener = server.rnic().listen(server.address(7471));
 *     …
 * }
 * }</pre>
 */
public final class World implements AutoCloseable {

    /** A run with more events than this is considered an endless loop. */
    private static final long MOST_EVENTS = 3_000_000;

    private final long seed;
    private final long startNs;
    private final SimRandom random;
    private final SimRandom hostRandom;
    private final Weather weather;
    private final EventQueue events = new EventQueue();
    private final VirtualNetwork network = new VirtualNetwork(this);
    private final PacketNetwork packets;
    private final List<VirtualHost> hosts = new ArrayList<>();
    private final Optional<Consumer<String>> log;

    private long nowNs;
    private long eventCount;
    private long traceHash;
    private int bareHosts;
    private int depth;
    private int eventDepth;
    private @Nullable Throwable failure;

    /** A calm world. */
    public World(long seed) {
        this(seed, Profile.CALM);
    }

    /** A world of this profile, without a log. */
    public World(long seed, Profile profile) {
        this(seed, profile, Optional.empty());
    }

    /**
     * Creates a world.
     *
     * @param log receives a line for each event
     */
    public World(long seed, Profile profile, Optional<Consumer<String>> log) {
        this.seed = seed;
        this.log = log;
        this.traceHash = seed;
        SimRandom root = new SimRandom(Digest.mix(seed, profile.ordinal()));
        this.random = root.fork(1);
        this.hostRandom = root.fork(2);
        this.weather = new Weather(profile, root.fork(3));
        this.startNs = startOfTime(root);
        // Forked last: what is drawn for streams does not change.
        this.packets = new PacketNetwork(this, root.fork(4), PacketPlan.calm());
        this.nowNs = startNs;
    }

    /** Clocks of the JVM may start anywhere; also just before their number wraps around. */
    private static long startOfTime(SimRandom random) {
        return switch (random.nextInt(4)) {
            case 0 -> Long.MAX_VALUE - random.sizeNs(5_000_000_000L);
            case 1 -> -random.sizeNs(5_000_000_000L);
            default -> random.nextLong();
        };
    }

    public long seed() {
        return seed;
    }

    /** The clock of this world; only differences are meaningful. */
    public long nowNs() {
        return nowNs;
    }

    /** Nanoseconds since this world began. */
    public long elapsedNs() {
        return nowNs - startNs;
    }

    /** Random numbers for the programs of this world. */
    public SimRandom random() {
        return random;
    }

    /** The decisions of this seed about network and machines. */
    public Weather weather() {
        return weather;
    }

    VirtualNetwork network() {
        return network;
    }

    /** The packet network, in addition to the network of streams. */
    public PacketNetwork packets() {
        return packets;
    }

    // Hosts.

    /** A new host with an RNIC. */
    public VirtualHost addHost(RnicOptions options) {
        int number = hosts.size() + 1;
        VirtualHost host = new VirtualHost(this, network, number, hostRandom.fork(number), options);
        hosts.add(host);
        network.add(host);
        host.start(new SoftRnic(host, options, new IwarpTransport()));
        return host;
    }

    /** A new host without an RNIC, for peers that a script plays. */
    VirtualHost addBareHost() {
        bareHosts++;
        int number = 200 + bareHosts;
        VirtualHost host = new VirtualHost(this, network, number, hostRandom.fork(number), RnicOptions.defaults());
        network.add(host);
        return host;
    }

    /** An RNIC on a new host: the n-th one is at 10.0.0.n. */
    public Rnic open(RnicOptions options) {
        return addHost(options).rnic();
    }

    public List<VirtualHost> hosts() {
        return List.copyOf(hosts);
    }

    /** All connections there have been. */
    public List<Link> links() {
        return List.copyOf(network.links());
    }

    /** Number of connection ends that have not been closed. */
    public int openStreams() {
        int open = 0;
        for (Link link : network.links()) {
            open += link.openEnds();
        }
        return open;
    }

    // Time.

    /** Schedules an action. */
    public void after(long delayNs, Runnable action) {
        events.add(nowNs + delayNs, action);
    }

    void atTime(long timeNs, Runnable action) {
        events.add(timeNs - nowNs < 0 ? nowNs : timeNs, action);
    }

    /** Runs the next event; returns false if there is none. */
    public boolean step() {
        if (depth > 0) {
            throw new IllegalStateException("A callback that runs within an engine turn must not wait for the RNIC;"
                    + " wait after the callback has returned.");
        }
        rethrow();
        if (events.isEmpty()) {
            return false;
        }
        nowNs = events.nextNs();
        mix(nowNs - startNs);
        if (++eventCount > MOST_EVENTS) {
            fail("more than " + MOST_EVENTS + " events: an endless loop");
        }
        eventDepth++;
        try {
            events.take().run();
        } catch (Throwable e) {
            failed(e);
            throw e;
        } finally {
            eventDepth--;
        }
        rethrow();
        return true;
    }

    /** Runs events until a condition holds; returns false if the virtual time expired first. */
    public boolean runUntil(BooleanSupplier condition, long timeoutNs) {
        long deadlineNs = nowNs + timeoutNs;
        while (!condition.getAsBoolean()) {
            if (events.isEmpty() || events.nextNs() - deadlineNs > 0) {
                nowNs = deadlineNs;
                return condition.getAsBoolean();
            }
            step();
        }
        return true;
    }

    /** Runs events for this much virtual time. */
    public void runFor(long durationNs) {
        runUntil(() -> false, durationNs);
    }

    /** Runs events until none is left; returns false if the virtual time expired first. */
    public boolean runUntilQuiet(long timeoutNs) {
        long deadlineNs = nowNs + timeoutNs;
        while (!events.isEmpty()) {
            if (events.nextNs() - deadlineNs > 0) {
                return false;
            }
            step();
        }
        return true;
    }

    /** Events so far. */
    public long eventCount() {
        return eventCount;
    }

    // Engines at work.

    void enter() {
        depth++;
    }

    void leave() {
        depth--;
    }

    /** Whether an engine is at work now. */
    boolean inside() {
        return depth > 0;
    }

    /**
     * A program drives its INLINE engines. Outside of events this also advances the time, because a polling loop would
     * hang otherwise.
     */
    int progressInline() {
        if (inside()) {
            return 0;
        }
        int work = 0;
        for (int i = 0; i < hosts.size(); i++) {
            work += hosts.get(i).driveInline();
        }
        if (eventDepth == 0 && step()) {
            work++;
        }
        return work;
    }

    // Log and trace.

    /** Mixes a value into the trace hash. */
    public void mix(long value) {
        traceHash = Digest.mix(traceHash, value);
    }

    /** A hash of everything that happened so far. */
    public long traceHash() {
        return traceHash;
    }

    /** Whether there is a log. */
    public boolean logging() {
        return log.isPresent();
    }

    /** Writes a line into the log, with the time before it. */
    public void log(Supplier<String> line) {
        if (log.isPresent()) {
            log.get().accept(time(elapsedNs()) + "  " + line.get());
        }
    }

    private static String time(long ns) {
        return String.format(Locale.ROOT, "%,15.3f µs", ns / 1000.0);
    }

    PipeTap tap(String name) {
        return new PipeTap(this, name, logging());
    }

    /** Fails the run with a sentence. */
    public void fail(String sentence) {
        AssertionError error = new AssertionError(sentence);
        failed(error);
        throw error;
    }

    /** Records the first failure, so that a callback that catches it does not hide it. */
    public void failed(Throwable e) {
        if (failure == null) {
            failure = e;
        }
    }

    private void rethrow() {
        switch (failure) {
            case null -> {}
            case Error error -> throw error;
            case RuntimeException exception -> throw exception;
            default -> throw new AssertionError(failure);
        }
    }

    /** Closes all RNICs. The failure of a failed run is not reported again. */
    @Override
    public void close() {
        for (VirtualHost host : hosts) {
            try {
                host.rnic().close();
            } catch (RuntimeException | Error e) {
                if (e != failure) {
                    throw e;
                }
            }
        }
    }
}
