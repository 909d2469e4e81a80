package io.verbena.sim;

import io.verbena.base.Digest;
import io.verbena.rnic.SoftRnic;
import io.verbena.rnic.Transport;
import io.verbena.rnic.ib.InfinibandTransport;
import io.verbena.rnic.ib.RoceCarrier;
import io.verbena.rnic.iwarp.IwarpTransport;
import io.verbena.tcp.state.TcpSettings;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.wire.ip.EthernetHeader;
import io.verbena.wire.ip.Ipv6Header;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

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

    /** Makes the random numbers of segments differ from all others of a seed. */
    private static final long SEGMENTS = 0x5e9;

    private final long seed;
    private final SimRandom random;
    private final SimRandom hostRandom;
    private final Run run;
    private final VirtualNetwork network;
    private final PacketNetwork packets;
    private final List<VirtualHost> hosts = new ArrayList<>();
    private final SimRandom segmentRandom;
    private Optional<PacketCarrier> transports = Optional.empty();
    private Optional<UnaryOperator<RnicOptions>> roce = Optional.empty();
    private int paths = 1;
    private int bareHosts;
    private long lostNeighborMessages;

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
        SimRandom root = new SimRandom(Digest.mix(seed, profile.ordinal()));
        this.random = root.fork(1);
        this.hostRandom = root.fork(2);
        Weather weather = new Weather(profile, root.fork(3));
        this.run = new Run(seed, weather, startOfTime(root), log);
        this.network = new VirtualNetwork(run);
        // Forked last: what is drawn for streams does not change.
        this.packets = new PacketNetwork(run, root.fork(4), PacketPlan.calm(), this::isPresent);
        this.segmentRandom = new SimRandom(Digest.mix(seed, SEGMENTS));
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
        return run.nowNs();
    }

    /** Nanoseconds since this world began. */
    public long elapsedNs() {
        return run.elapsedNs();
    }

    /** Random numbers for the programs of this world. */
    public SimRandom random() {
        return random;
    }

    /** The decisions of this seed about network and machines. */
    public Weather weather() {
        return run.weather();
    }

    /** The packet network, in addition to the network of streams. */
    public PacketNetwork packets() {
        return packets;
    }

    /**
     * {@link #traceHash} leaves out the states of engines from now on: for a run that is compared with no other, or only by
     * {@link #courseHash}.
     */
    public World withoutStates() {
        run.withoutStates();
        return this;
    }

    /** Connections deliver segments in any order from now on, as the plan says. Precedes the first host. */
    public World withSegments(SegmentPlan plan) {
        network.segments(new SegmentTcp(plan, segmentRandom));
        return this;
    }

    /** Connections deliver segments in any order, by a plan of this seed. */
    public World withSegments() {
        return withSegments(SegmentPlan.of(segmentRandom));
    }

    /**
     * Hosts have the TCP of the library from now on, over the packet network: with loss, reordering, duplication and corruption as
     * its plan says. Precedes the first host.
     */
    public World withTcp(TcpSettings settings, PacketPlan plan) {
        network.tcp(settings);
        packets.plan(plan);
        return this;
    }

    /** As {@link #withTcp(TcpSettings, PacketPlan)}, with the settings and the plan of this seed. */
    public World withTcp() {
        return withTcp(TcpWeather.settings(segmentRandom), TcpWeather.plan(segmentRandom));
    }

    /**
     * As {@link #withTcp()}, with IPv6 on an Ethernet that connects all hosts: their network interfaces find each other by neighbor
     * discovery.
     */
    public World withTcpOverEthernet() {
        network.ethernet();
        packets.ipv6();
        packets.onLost(frame -> lostNeighborMessages += isNeighborMessage(frame) ? 1 : 0);
        return withTcp();
    }

    /**
     * All RNICs are of RoCE from now on, over the packet network: with loss, reordering, duplication and corruption as its plan says.
     * Precedes the first host.
     *
     * @param selectiveRepeat whether only lost packets are sent again
     */
    public World withRoce(boolean selectiveRepeat, PacketPlan plan) {
        roce = Optional.of(
                options -> options.withProvider("roce").withInfiniband(it -> it.withSelectiveRepeat(selectiveRepeat)));
        packets.plan(plan);
        return this;
    }

    /** Connections of the programs have this number of paths. */
    public World withPaths(int number) {
        paths = number;
        return this;
    }

    /** Number of paths of the connections of the programs. */
    public int paths() {
        return paths;
    }

    /** As {@link #withRoce(boolean, PacketPlan)}, with the plan of this seed. */
    public World withRoce(boolean selectiveRepeat) {
        return withRoce(selectiveRepeat, TcpWeather.roce(segmentRandom));
    }

    /** Whether packets may be lost, so that a message may be late by seconds. */
    public boolean losesPackets() {
        return overTcp() || overRoce();
    }

    /** Whether the RNICs are of RoCE. */
    public boolean overRoce() {
        return roce.isPresent();
    }

    private static boolean isNeighborMessage(byte[] frame) {
        MemorySegment bytes = MemorySegment.ofArray(frame);
        EthernetHeader ethernet = new EthernetHeader().wrap(bytes, 0);
        Ipv6Header ip = new Ipv6Header().wrap(bytes, EthernetHeader.LENGTH);
        return frame.length >= EthernetHeader.LENGTH + Ipv6Header.LENGTH
                && ethernet.type() == EthernetHeader.IPV6
                && ip.nextHeader() == Ipv6Header.ICMP;
    }

    /**
     * Messages of neighbor discovery that were lost or damaged so far. A host that cannot find its neighbor by three of them gives up the
     * set-up of connections to it (RFC 4861 section 7.2.2), as Linux does.
     */
    public long lostNeighborMessages() {
        return lostNeighborMessages;
    }

    /** Whether connections are those of the library's TCP, whose packets may be lost. */
    public boolean overTcp() {
        return network.tcp().isPresent();
    }

    /** Whether messages after a hole are placed before the hole has closed. */
    public boolean placesAfterHoles() {
        return overTcp() || segments().isPresent();
    }

    /**
     * Another network carries the packets of all hosts, and determines their addresses and the transport of their RNICs. Precedes the
     * first host.
     */
    public World withCarrier(PacketCarrier carrier) {
        run.carrier(carrier);
        packets.carrier(carrier);
        transports = Optional.of(carrier);
        return this;
    }

    /** A run may have this many events, before it is considered an endless loop; 3 million unless it is set. */
    public World withMostEvents(long most) {
        run.mostEvents(most);
        return this;
    }

    /** How segments are delivered; empty if connections deliver bytes in order. */
    public Optional<SegmentPlan> segments() {
        return network.segments().map(SegmentTcp::plan);
    }

    /** Connections go through shared memory from now on. Precedes the first host. */
    public World withSharedMemory() {
        network.memory(new VirtualMemory(run::nowNs));
        return this;
    }

    // Hosts.

    /** A new host with an RNIC: of iWARP, or of RoCE, or of both, if the options name that provider. */
    public VirtualHost addHost(RnicOptions wanted) {
        // The TCP of the library belongs to one engine.
        RnicOptions fitting = network.tcp().isPresent() ? wanted.withEngines(1) : wanted;
        RnicOptions options = roce.map(it -> it.apply(fitting)).orElse(fitting);
        return addHost(hosts.size() + 1, options);
    }

    /** Another RNIC on the host of one that has been closed or has died, at the same address. */
    public VirtualHost reopen(VirtualHost closed, RnicOptions options) {
        if (!closed.closed()) {
            throw new IllegalStateException(closed + " has an open RNIC");
        }
        return addHost(closed.number(), options);
    }

    private VirtualHost addHost(int number, RnicOptions options) {
        VirtualHost host = new VirtualHost(run, network, packets, number, hostRandom.fork(hosts.size() + 1), options);
        hosts.add(host);
        network.add(host);
        host.start(new SoftRnic(host, options, transport(host, options)));
        return host;
    }

    private Transport transport(VirtualHost host, RnicOptions options) {
        if (transports.isPresent()) {
            return transports.get().transport(host.number());
        }
        return switch (options.provider()) {
            case "roce" -> new InfinibandTransport(host.inetAddress());
            case "roce+iwarp" -> new IwarpTransport("roce+iwarp", new RoceCarrier(List.of(host.inetAddress())));
            default -> new IwarpTransport();
        };
    }

    /** A new host without an RNIC, for peers that a script plays. */
    VirtualHost addBareHost() {
        bareHosts++;
        int number = 200 + bareHosts;
        VirtualHost host =
                new VirtualHost(run, network, packets, number, hostRandom.fork(number), RnicOptions.defaults());
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

    private boolean isPresent(InetAddress address) {
        return hosts.stream()
                .anyMatch(host -> !host.closed() && host.inetAddress().equals(address));
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
        run.after(delayNs, action);
    }

    /** Runs the next event; returns false if there is none. */
    public boolean step() {
        return run.step();
    }

    /** Runs events until a condition holds; returns false if the virtual time expired first. */
    public boolean runUntil(BooleanSupplier condition, long timeoutNs) {
        return run.until(condition, timeoutNs);
    }

    /** Runs events for this much virtual time. */
    public void runFor(long durationNs) {
        run.until(() -> false, durationNs);
    }

    /** Nanoseconds until the next event; {@link Long#MAX_VALUE} if there is none. */
    long nextInNs() {
        return run.nextInNs();
    }

    /** Runs events until none is left; returns false if the virtual time expired first. */
    public boolean runUntilQuiet(long timeoutNs) {
        return run.untilQuiet(timeoutNs);
    }

    /** Events so far. */
    public long eventCount() {
        return run.eventCount();
    }

    // Log and trace.

    /** Mixes a value into the trace hash. */
    public void mix(long value) {
        run.mix(value);
    }

    /** A hash of everything that happened so far, states of engines included (see {@link #withoutStates}). */
    public long traceHash() {
        return run.traceHash();
    }

    /** A hash of what happened so far, and when: it does not depend on how engines keep their state. */
    public long courseHash() {
        return run.courseHash();
    }

    /** Whether there is a log. */
    public boolean logging() {
        return run.logging();
    }

    /** Writes a line into the log, with the time before it. */
    public void log(Supplier<String> line) {
        run.log(line);
    }

    /** Fails the run with a sentence. */
    public void fail(String sentence) {
        run.fail(sentence);
    }

    /** Records the first failure, so that a callback that catches it does not hide it. */
    public void failed(Throwable e) {
        run.failed(e);
    }

    /** Closes all RNICs. The failure of a failed run is not reported again. */
    @Override
    public void close() {
        for (VirtualHost host : hosts) {
            try {
                host.rnic().close();
            } catch (RuntimeException | Error e) {
                if (!run.endedBy(e)) {
                    throw e;
                }
            }
        }
    }
}
