package io.verbena.sim;

import io.verbena.base.PacketPath;
import io.verbena.base.RandomSource;
import io.verbena.base.WaitPoint;
import io.verbena.engine.TurnBuffers;
import io.verbena.memory.MemoryProvider;
import io.verbena.port.PacketLoop;
import io.verbena.port.StreamLoop;
import io.verbena.port.faults.FaultPlan;
import io.verbena.port.faults.FaultyLoop;
import io.verbena.port.faults.FaultySegmentLoop;
import io.verbena.port.faults.SegmentFaults;
import io.verbena.rnic.SoftRnic;
import io.verbena.rnic.context.Environment;
import io.verbena.tcp.CarriedTcp;
import io.verbena.tcp.LinkTcp;
import io.verbena.tcp.UdpTcp;
import io.verbena.tcp.link.LinkAddress;
import io.verbena.tcp.state.TcpSettings;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.wire.ip.Ipv6Header;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A machine of the World with one RNIC: address, engines, and the environment that the RNIC lives in. */
public final class VirtualHost implements Environment {

    private static final int FIRST_EPHEMERAL_PORT = 49_152;
    private static final int PAGING = 4096;
    private static final int TCP = 8192;
    private static final int PREFIX_BITS = 64;

    /** Makes the random numbers of shared memory differ from all others of a host. */
    private static final int MEMORY = 1_000;

    private static final long MOST_LATE_NS = 100_000;

    private final Run run;
    private final VirtualNetwork network;
    private final PacketNetwork packets;
    private final int number;
    private final InetAddress inetAddress;
    private final SimRandom random;
    private final boolean inline;
    private final List<EngineDriver> drivers = new ArrayList<>();
    private final List<StreamLoop> loops = new ArrayList<>();
    private @Nullable SoftRnic rnic;
    private @Nullable VirtualPaging paging;
    private int ephemeralPort = FIRST_EPHEMERAL_PORT;
    private boolean closed;
    private boolean silent;

    VirtualHost(
            Run run, VirtualNetwork network, PacketNetwork packets, int number, SimRandom random, RnicOptions options) {
        this.run = run;
        this.network = network;
        this.packets = packets;
        this.number = number;
        this.random = random;
        this.inline = options.progress() == Progress.INLINE;
        this.inetAddress = packets.addressOf(number);
        // All engines of a host or none: a stream may move from one to the other.
        FaultPlan faults = run.weather().wrapper();
        SegmentFaults lateness = network.segments().map(VirtualHost::lateness).orElse(SegmentFaults.none());
        for (int i = 0; i < options.engines(); i++) {
            EngineDriver driver = new EngineDriver(run, this + " engine " + i);
            StreamLoop loop = new VirtualLoop(network, this, driver);
            if (network.memory().isPresent()) {
                loop = network.memory()
                        .get()
                        .around(
                                loop,
                                driver,
                                random.fork(MEMORY + i),
                                options.iwarp().direct());
            }
            if (network.tcp().isPresent()) {
                loop = ownTcp(driver, network.tcp().get(), random.fork(TCP + i));
            } else if (!faults.equals(FaultPlan.none())) {
                FaultyLoop faulty = new FaultyLoop(loop, faults, random.fork(i), run.nowNs());
                driver.wrapper(faulty::turn, faulty::nextDeadlineNs);
                loop = faulty;
            } else if (!lateness.equals(SegmentFaults.none())) {
                FaultySegmentLoop late = new FaultySegmentLoop(loop, lateness, random.fork(i), run.nowNs());
                driver.wrapper(late::turn, late::nextDeadlineNs);
                loop = late;
            }
            drivers.add(driver);
            loops.add(loop);
            if (inline) {
                run.onPoll(driver::turn);
            }
        }
    }

    /** The TCP of the library over packets. Its timers run, and its packets leave, in the turns of the engine. */
    private CarriedTcp ownTcp(EngineDriver driver, TcpSettings settings, SimRandom tcpRandom) {
        CarriedTcp tcp = network.stations()
                .<CarriedTcp>map(stations -> overEthernet(driver, stations, settings, tcpRandom))
                .orElseGet(() -> overUdp(driver, settings, tcpRandom));
        driver.wrapper(tcp::turn, tcp::nextDeadlineNs);
        driver.afterTurn(tcp::flush);
        return tcp;
    }

    private CarriedTcp overUdp(EngineDriver driver, TcpSettings settings, SimRandom tcpRandom) {
        PacketLoop ports = (local, events) -> new VirtualPacketPort(run, packets, inetAddress, driver, local, events);
        return new UdpTcp(ports, UdpTcp.Paths.of(settings.mtu()), settings, tcpRandom, run.nowNs());
    }

    private CarriedTcp overEthernet(
            EngineDriver driver, Map<Long, PacketPath> stations, TcpSettings settings, SimRandom tcpRandom) {
        try {
            int mtu = Math.max(Ipv6Header.LEAST_MTU, settings.mtu());
            VirtualLinkPort port = new VirtualLinkPort(
                    stations,
                    mtu,
                    inetAddress,
                    (local, events) -> new VirtualPacketPort(run, packets, inetAddress, driver, local, events));
            LinkAddress address = LinkAddress.of(inetAddress, PREFIX_BITS, inetAddress);
            LinkTcp tcp = new LinkTcp(port, address, settings, tcpRandom, run.nowNs());
            port.attach(tcp);
            return tcp;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Faults of the library's own wrapper, in addition to those of the virtual TCP. */
    private static SegmentFaults lateness(SegmentTcp tcp) {
        SimRandom draw = tcp.random();
        return draw.oneIn(3)
                ? SegmentFaults.none().withRepeats(draw.between(2, 10)).withHolds(draw.between(2, 20), MOST_LATE_NS)
                : SegmentFaults.none();
    }

    void start(SoftRnic newRnic) {
        rnic = newRnic;
        for (int i = 0; i < drivers.size(); i++) {
            drivers.get(i).engine(newRnic.engine(i));
        }
        if (newRnic.engines() != drivers.size()) {
            throw new IllegalStateException("the RNIC has " + newRnic.engines() + " engines");
        }
    }

    /** Its RNIC. */
    public Rnic rnic() {
        return softRnic();
    }

    SoftRnic softRnic() {
        SoftRnic currentRnic = rnic;
        if (currentRnic == null) {
            throw new IllegalStateException("the RNIC is not open yet");
        }
        return currentRnic;
    }

    /** 1 for the first host. */
    public int number() {
        return number;
    }

    /** Its IP address. */
    public InetAddress inetAddress() {
        return inetAddress;
    }

    /** An address of this host. */
    public InetSocketAddress address(int port) {
        return new InetSocketAddress(inetAddress, port);
    }

    int nextPort() {
        return ephemeralPort++;
    }

    /** Whether the RNIC is not driven any more: closed, or dead. */
    public boolean closed() {
        return closed;
    }

    boolean silent() {
        return silent;
    }

    /**
     * Kills the host: its RNIC stops.
     *
     * @param silently whether peers notice it only when their systems give up, without a reset
     */
    public void kill(boolean silently) {
        if (!closed) {
            run.log(() -> this + (silently ? " dies silently" : " dies"));
            close();
            silent = silently;
            network.hostDied(this, silently);
            packets.hostDied(inetAddress);
        }
    }

    /**
     * Pauses the host: its engines do nothing for this time, while packets arrive in the buffers of its ports. For RNICs whose transport
     * is packets.
     */
    public void pause(long durationNs) {
        drivers.forEach(driver -> driver.pause(durationNs));
    }

    // The environment.

    @Override
    public long nowNs() {
        return run.nowNs();
    }

    @Override
    public RandomSource random() {
        return random;
    }

    @Override
    public TurnBuffers buffers(int engine) {
        return run.buffers();
    }

    @Override
    public MemoryProvider memory() {
        return network.memory().<MemoryProvider>map(VirtualMemory::blocks).orElseGet(Environment.super::memory);
    }

    @Override
    public StreamLoop streams(int engine) {
        return loops.get(engine);
    }

    /** Drives one of its engines. */
    EngineDriver driver(int engine) {
        return drivers.get(engine);
    }

    /** Packets of one engine. */
    @Override
    public PacketLoop packets(int engine) {
        EngineDriver driver = drivers.get(engine);
        return (local, events) -> new VirtualPacketPort(run, packets, inetAddress, driver, local, events);
    }

    @Override
    public void wake(int engine) {
        EngineDriver driver = drivers.get(engine);
        if (inline && !run.inside()) {
            driver.turn();
        } else {
            driver.wake();
        }
    }

    @Override
    public boolean hold(int engine) {
        return inline && !run.inside();
    }

    /** A program that has posted polls soon. */
    @Override
    public void letGo(int engine) {
        drivers.get(engine).wake();
    }

    @Override
    public boolean beginPost(int engine) {
        return drivers.get(engine).beginPost();
    }

    @Override
    public void endPost(int engine) {
        drivers.get(engine).endPost();
    }

    @Override
    public boolean inline() {
        return inline;
    }

    @Override
    public int progress() {
        return run.poll();
    }

    @Override
    public void adopt() {}

    @Override
    public WaitPoint newWaitPoint() {
        return new WaitPoint() {
            @Override
            public boolean await(BooleanSupplier condition, long timeoutNs) {
                return run.until(condition, timeoutNs);
            }

            @Override
            public void signal() {}
        };
    }

    @Override
    public HandlerProcessor defaultProcessor() {
        return (handler, work) -> run.after(run.weather().handlerDelayNs(), () -> {
            if (!closed) {
                work.run();
            }
        });
    }

    @Override
    public VirtualPaging paging() {
        VirtualPaging currentPaging = paging;
        if (currentPaging == null) {
            currentPaging = new VirtualPaging(run, random.fork(PAGING));
            paging = currentPaging;
        }
        return currentPaging;
    }

    @Override
    public void notice(String sentence) {
        run.log(() -> "host " + number + " notes: " + sentence);
    }

    @Override
    public void close() {
        closed = true;
        drivers.forEach(EngineDriver::stop);
    }

    @Override
    public String toString() {
        return "host " + number;
    }
}
