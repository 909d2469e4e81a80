package io.verbena.rnic;

import io.verbena.fixture.HeapSharedMemory;
import io.verbena.fixture.MemoryNetwork;
import io.verbena.fixture.SegmentedLoop;
import io.verbena.port.StreamLoop;
import io.verbena.port.faults.PacketFaults;
import io.verbena.rnic.ib.InfinibandTransport;
import io.verbena.rnic.ib.MemoryPackets;
import io.verbena.rnic.iwarp.IwarpTransport;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.InfinibandOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/**
 * RNICs, streams in memory and manual time: everything happens in the thread of the test, when the test requests it.
 */
public final class ManualWorld implements AutoCloseable {

    private static final int MAX_ROUNDS = 200_000;

    final SplittableRandom random = new SplittableRandom(1);
    public volatile long nowNs = 1_000_000_000L;

    public final List<ManualEnvironment> environments = new ArrayList<>();

    /** The streams of all RNICs. */
    public final MemoryNetwork network;

    /** The network as the RNICs use it. */
    public StreamLoop streams;

    /** Whether new RNICs access memory of each other directly, if their streams go through shared memory. */
    boolean direct;

    /** If true, bugs of the RNICs do not fail the test. */
    public boolean expectsBugs;

    /** Runs when an RNIC requests its source of random numbers. */
    Runnable atRandom = () -> {};

    /** Runs when a thread waits and no event is possible before time advances. */
    public Runnable beforeTimePasses = () -> {};

    /** The packet network, beside the streams. */
    public final MemoryPackets packets = new MemoryPackets();

    /** Faults of the packet ports of new RNICs. */
    public PacketFaults packetFaults = PacketFaults.none();

    private final IntFunction<Transport> transports;
    private int rnics;

    /** The memory of the streams, if they go through shared memory. */
    public final Optional<HeapSharedMemory> sharedMemory;

    /** Streams in memory; through shared memory with {@code -Dverbena.rings=true}. */
    public ManualWorld() {
        this(new IwarpTransport());
    }

    /** A world whose streams go through shared memory. */
    public static ManualWorld rings() {
        return new ManualWorld(number -> new IwarpTransport(), MemoryNetwork.host("memory"), true);
    }

    /** A world whose streams go through shared memory, and whose RNICs access memory of each other directly. */
    public static ManualWorld direct() {
        ManualWorld world = rings();
        world.direct = true;
        return world;
    }

    /** A world whose streams deliver segments out of order. */
    public static ManualWorld segments() {
        ManualWorld world = new ManualWorld(number -> new IwarpTransport(), MemoryNetwork.host("memory"), false);
        world.streams = new SegmentedLoop(world.network);
        return world;
    }

    /** A world for RNICs of this transport. */
    public ManualWorld(Transport transport) {
        this(number -> transport, MemoryNetwork.host("memory"), Boolean.getBoolean("verbena.rings"));
    }

    private ManualWorld(
            IntFunction<Transport> transports, IntFunction<InetSocketAddress> addresses, boolean throughMemory) {
        this.transports = transports;
        sharedMemory = throughMemory ? Optional.of(new HeapSharedMemory()) : Optional.empty();
        sharedMemory.ifPresent(memory -> memory.blocks.clock = () -> nowNs);
        network = new MemoryNetwork(addresses);
        streams = network;
        LoggedBugs.clear();
    }

    /** A world of RoCE RNICs at 10.0.0.1, 10.0.0.2 and so on. */
    public static ManualWorld roce() {
        return new ManualWorld(
                number -> new InfinibandTransport(roceAddress(number).getAddress()),
                port -> new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), port),
                false);
    }

    /** The UDP address of a RoCE RNIC, by its number from 1. */
    public static InetSocketAddress roceAddress(int number) {
        return new InetSocketAddress(InetAddress.ofLiteral("10.0.0." + number), InfinibandOptions.ROCE_UDP_PORT);
    }

    public SoftRnic rnic() {
        return rnic(RnicOptions.defaults());
    }

    public SoftRnic rnic(RnicOptions options) {
        return rnic(options, ++rnics);
    }

    /** The host of the RNIC with this number, from 1, lost its power and has started again. */
    public SoftRnic restarted(SoftRnic old, int number) {
        environments.remove(ManualEnvironment.of(old));
        packets.vanish(roceAddress(number));
        return rnic(RnicOptions.defaults(), number);
    }

    private SoftRnic rnic(RnicOptions options, int number) {
        ManualEnvironment environment = new ManualEnvironment(this, options.engines());
        SoftRnic rnic = new SoftRnic(environment, options, transports.apply(number));
        environment.rnic(rnic);
        environments.add(environment);
        return rnic;
    }

    /** The types of the asynchronous events of an RNIC since the last time. */
    public static List<AsyncEventType> events(Rnic rnic) {
        return rnic.pollAsyncEvents(Duration.ZERO).stream()
                .map(AsyncEvent::type)
                .toList();
    }

    /** One round: streams report readiness, engines have a turn, handlers run. Returns whether anything happened. */
    public boolean round() {
        boolean any = network.poll() > 0;
        any |= packets.poll();
        for (ManualEnvironment environment : List.copyOf(environments)) {
            any |= environment.drive();
        }
        if (!expectsBugs) {
            LoggedBugs.check();
        }
        return any;
    }

    /** Streams through shared memory report their readiness. */
    void pollRings() {
        for (int i = 0; i < environments.size(); i++) {
            environments.get(i).pollRings();
        }
    }

    /** Executes rounds until nothing happens. */
    public void settle() {
        for (int i = 0; i < MAX_ROUNDS; i++) {
            if (!round()) {
                return;
            }
        }
        throw new AssertionError("the world does not settle");
    }

    /** Hangs one host: its engines and streams do nothing from now on. */
    public void hang(SoftRnic rnic, SocketAddress localAddress) {
        environments.remove(ManualEnvironment.of(rnic));
        network.streams.removeIf(stream -> stream.localAddress().equals(localAddress));
    }

    /** Time passes in which no engine takes a turn. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // only the thread of the test changes it
    public void pass(long ns) {
        nowNs += ns;
    }

    /** Advances the time, stopping at every deadline. */
    public void advance(long ns) {
        await(() -> false, ns);
    }

    public boolean await(BooleanSupplier condition, long timeoutNs) {
        long endNs = nowNs + timeoutNs;
        for (int i = 0; i < MAX_ROUNDS; i++) {
            if (condition.getAsBoolean()) {
                return true;
            }
            if (round()) {
                continue;
            }
            if (nowNs - endNs >= 0) {
                return false;
            }
            beforeTimePasses.run();
            if (condition.getAsBoolean()) {
                return true;
            }
            long next = endNs;
            for (ManualEnvironment environment : environments) {
                long deadlineNs = environment.nextDeadlineNs();
                if (deadlineNs != Long.MAX_VALUE && deadlineNs - next < 0) {
                    next = deadlineNs;
                }
            }
            nowNs = next - nowNs > 0 ? next : nowNs + 1;
        }
        throw new AssertionError("the world does not settle");
    }

    /** An unused address. */
    public InetSocketAddress address() {
        return network.address();
    }

    @Override
    public void close() {
        for (ManualEnvironment environment : List.copyOf(environments)) {
            environment.rnic().close();
        }
    }
}
