package io.verbena.fabric.endnode;

import io.verbena.fabric.management.ManagedFabric;
import io.verbena.fabric.manager.ManagedSubnet;
import io.verbena.fabric.manager.SubnetManager;
import io.verbena.fabric.node.Fabric;
import io.verbena.fabric.node.TopologyPorts;
import io.verbena.fabric.node.TopologyWiring;
import io.verbena.fabric.node.Wiring;
import io.verbena.fabric.topology.AdapterKind;
import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.NodeKind;
import io.verbena.fabric.topology.Topology;
import io.verbena.fabric.traffic.ManagedLanes;
import io.verbena.sim.World;
import io.verbena.sim.lan.Lan;
import io.verbena.verbs.RnicOptions;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A simulated system area network: a fabric whose endnodes are software RNICs. They have the engines that the provider {@code roce}
 * has, and frame packets natively: LRH, GRH where it is needed, ICRC and VCRC. Everything happens in virtual time and in one thread; a
 * wait on any object of an RNIC lets time pass. Two runs of a seed are equal.
 *
 * <pre>{@code
 * try (San san = San.of(TopologySpecification.parse("fat-tree:8"), SanSettings.DEFAULT)) {
 *     Endnode server = san.open(0);
 *     Endnode client = san.open(100);
 *     Listener listener = server.rnic().listen(server.address(7471));
 *     …
 * }
 * }</pre>
 *
 * An address is the GID of an endnode and the number of a service. The upper four bits of a connection's traffic class are the
 * service level of its packets.
 */
public final class San implements AutoCloseable {

    /** Each packet is a few events; a simulation of many nodes is not an endless loop. */
    private static final long MOST_EVENTS = 1L << 40;

    /** Virtual time in which a subnet must be up, repeated traps included. */
    private static final long BRING_UP_NS = 60_000_000_000L;

    private static final long HEAD_LIFE_NS = 1_000_000;

    private final World world;
    private final EndnodePorts ports;
    private final Subnets subnets;
    private final FabricCarrier carrier;
    private final List<Optional<Endnode>> opened;
    private final List<String> switchNames;
    private Optional<LiveSubnet> subnet = Optional.empty();

    /** A network in which each adapter is an endnode. */
    public San(Wiring wiring, SanSettings settings) {
        this(wiring, settings, EndnodePorts.of(wiring));
    }

    private San(Wiring wiring, SanSettings settings, EndnodePorts ports) {
        this(wiring, settings, ports, Subnets.one(ports), List.of());
    }

    private San(Wiring wiring, SanSettings settings, EndnodePorts ports, Topology topology) {
        this(
                wiring,
                settings,
                ports,
                Subnets.of(topology, ports),
                topology.nodes(NodeKind.SWITCH).stream().map(Node::name).toList());
        List<Node> nodes = EndnodePorts.nodes(topology);
        for (int endnode = 0; endnode < nodes.size(); endnode++) {
            adapter(endnode, AdapterKind.of(nodes.get(endnode)));
        }
    }

    private San(Wiring wiring, SanSettings settings, EndnodePorts ports, Subnets subnets, List<String> switchNames) {
        this.switchNames = switchNames;
        this.ports = ports;
        this.subnets = subnets;
        carrier = new FabricCarrier(wiring, settings, ports, subnets);
        world = new World(settings.link().seed()).withCarrier(carrier).withMostEvents(MOST_EVENTS);
        carrier.world(world);
        opened = new ArrayList<>(Collections.nCopies(ports.endnodes(), Optional.empty()));
    }

    /** The network of a topology, with up/down routes. Each adapter is an endnode with as many ports as it has cables. */
    public static San of(Topology topology, SanSettings settings) {
        return of(topology, TopologyWiring.of(topology), settings);
    }

    /** The same with a wiring that has been computed: in a large fabric, its tables take seconds and hundreds of megabytes. */
    public static San of(Topology topology, Wiring wiring, SanSettings settings) {
        return new San(wiring, settings, EndnodePorts.of(topology, 0), topology);
    }

    /**
     * The network of a topology with a subnet manager at the first adapter of each subnet, which has brought it up and continues to work: when a link or a
     * switch fails or returns, it computes new routes while traffic goes on. Frames that have not moved for a millisecond are discarded, because
     * routes that change can make them wait for each other.
     *
     * @param options of the manager; its LMC gives each port as many paths
     * @throws IllegalStateException if the subnet cannot be brought up
     */
    public static San managed(Topology topology, SanSettings settings, SubnetManager.Options options) {
        Topology numbered = PortNumbers.numbered(topology, options.lmc());
        ManagedFabric managed = new ManagedFabric(numbered);
        Wiring wiring = TopologyWiring.unrouted(numbered, options.lmc());
        TopologyPorts places = new TopologyPorts(numbered, wiring);
        ManagedLanes lanes = new ManagedLanes(managed, places, wiring.ports());
        wiring.lanes(lanes);
        San san = new San(wiring, settings, EndnodePorts.of(numbered, options.lmc()), numbered);
        List<ManagedSubnet> managers = managers(managed, san, places, options);
        san.subnet = Optional.of(new LiveSubnet(managed, managers, places, lanes, san.carrier, san.world));
        san.carrier.headLife(HEAD_LIFE_NS);
        return san;
    }

    /** Brings each subnet up with a manager at its first adapter. */
    private static List<ManagedSubnet> managers(
            ManagedFabric managed, San san, TopologyPorts places, SubnetManager.Options options) {
        List<ManagedSubnet> managers = new ArrayList<>();
        for (int subnet = 0; subnet < san.subnets.count(); subnet++) {
            for (int port : san.fabric().wiring().endports()) {
                int lid = san.fabric().wiring().lid(port);
                boolean here = san.subnets.subnetOf(lid) == subnet;
                if (here && !san.subnets.isRouter(san.ports.endnodeOf(lid)) && managers.size() == subnet) {
                    managers.add(new ManagedSubnet(
                            managed,
                            places.nodeOf(port),
                            places.localOf(port),
                            options.withPrefix(PortIdentity.prefix(subnet))));
                }
            }
            if (managers.size() == subnet || !managers.getLast().bringUp(BRING_UP_NS)) {
                throw new IllegalStateException("subnet " + subnet + " cannot be brought up: its manager needs an"
                        + " adapter with a cable to a switch, and nodes that answer");
            }
        }
        return managers;
    }

    /** The subnet manager of a managed network, of its first subnet. */
    public Optional<SubnetManager> manager() {
        return subnet.map(LiveSubnet::manager);
    }

    /** The number of a switch of the topology, for {@link #breakNode}; empty if there is none with this name. */
    public OptionalInt switchNumber(String name) {
        int number = switchNames.indexOf(name);
        return number < 0 ? OptionalInt.empty() : OptionalInt.of(number);
    }

    /** Whether an endnode is a router between subnets, which has no RNIC. */
    public boolean isRouter(int endnode) {
        return subnets.isRouter(endnode);
    }

    /** Number of endnodes. */
    public int endnodes() {
        return ports.endnodes();
    }

    /** Makes an endnode that is not open an adapter of a kind. The endnodes of a topology have the kinds of its nodes. */
    public void adapter(int endnode, AdapterKind kind) {
        if (opened.get(endnode).isPresent()) {
            throw new IllegalStateException("the RNIC of endnode " + endnode + " is open already");
        }
        carrier.software().kind(endnode, kind);
    }

    /** The kind of the adapter of an endnode. */
    public AdapterKind adapter(int endnode) {
        return carrier.software().kind(endnode);
    }

    /**
     * Makes an endnode that is not open a router to a LAN. It forwards IPv6 packets of raw datagrams between {@link Endnode#routableAddress} of
     * endnodes and hosts of the LAN.
     *
     * @param address of the router on the LAN
     * @return its GID: where endnodes of its subnet send packets for the LAN
     */
    public InetAddress lan(int endnode, Lan lan, InetAddress address) {
        if (opened.get(endnode).isPresent() || subnets.isRouter(endnode)) {
            throw new IllegalStateException("endnode " + endnode
                    + " cannot be a router to a LAN: it has an open RNIC, or" + " is a router between subnets");
        }
        carrier.gateway(endnode, lan, address);
        return carrier.addressOf(endnode);
    }

    /** Packets that routers to LANs have dropped: damaged, without hops left, or without a destination. */
    public long packetsDroppedAtLans() {
        return carrier.droppedByGateways();
    }

    /** The endnode with a number from 0 on, with an RNIC of default options unless it is open. */
    public Endnode open(int endnode) {
        return opened.get(endnode).orElseGet(() -> open(endnode, RnicOptions.defaults()));
    }

    /** Opens the RNIC of an endnode that is not open. */
    public Endnode open(int endnode, RnicOptions options) {
        if (subnets.isRouter(endnode)) {
            throw new IllegalArgumentException("endnode " + endnode + " is a router, which has no RNIC");
        }
        if (opened.get(endnode).isPresent() || carrier.isGateway(endnode)) {
            throw new IllegalStateException(
                    "the RNIC of endnode " + endnode + " is open already, or it is a router to a" + " LAN");
        }
        carrier.nextHostIs(endnode);
        Endnode added = new Endnode(endnode, ports, subnets, world.addHost(options.withEngines(1)), adapter(endnode));
        opened.set(endnode, Optional.of(added));
        return added;
    }

    /** Virtual time and the RNICs. */
    public World world() {
        return world;
    }

    /** The fabric, for its counters. */
    public Fabric fabric() {
        return carrier.fabric();
    }

    /**
     * Breaks a link now: packets that have not passed it completely are lost, and so are later ones that the tables send to it.
     *
     * @param node a node of the wiring; in the wiring of a topology, its switches are numbered from 0 on
     * @param port a port of the node, from 1 on
     */
    public void breakLink(int node, int port) {
        setLink(node, port, false);
    }

    /** Repairs a link. */
    public void repairLink(int node, int port) {
        setLink(node, port, true);
    }

    private void setLink(int node, int port, boolean works) {
        int number = fabric().wiring().port(node, port);
        if (subnet.isPresent()) {
            subnet.get().link(number, works);
        } else {
            carrier.change(
                    world.elapsedNs(),
                    works ? fabric -> fabric.repairLink(number) : fabric -> fabric.breakLink(number));
        }
    }

    /** Breaks all links of a node, for example of a switch that is switched off. In a managed network it loses its tables. */
    public void breakNode(int node) {
        setNode(node, false);
    }

    /** Repairs all links of a node, which {@link #breakNode} has broken. */
    public void repairNode(int node) {
        setNode(node, true);
    }

    private void setNode(int node, boolean works) {
        if (subnet.isPresent()) {
            subnet.get().node(fabric().wiring().port(node, 1), works);
        } else {
            carrier.change(
                    world.elapsedNs(), works ? fabric -> fabric.repairNode(node) : fabric -> fabric.breakNode(node));
        }
    }

    /** Sets the probability that a flit which a port of a node sends from now on arrives damaged. */
    public void errors(int node, int port, double rate) {
        carrier.change(
                world.elapsedNs(), fabric -> fabric.errors(fabric.wiring().port(node, port), rate));
    }

    /** Sets the probability that credits in a flit which a port of a node sends from now on are lost, although the flit arrives. */
    public void creditLoss(int node, int port, double rate) {
        carrier.change(
                world.elapsedNs(),
                fabric -> fabric.creditLevels().loss(fabric.wiring().port(node, port), rate));
    }

    /** Makes a port of an adapter slow: it takes one flit every {@code ticksPerFlit} ticks; 0 for no limit. */
    public void slowReceiver(int node, int port, int ticksPerFlit) {
        carrier.change(
                world.elapsedNs(), fabric -> fabric.slowReceiver(fabric.wiring().port(node, port), ticksPerFlit));
    }

    /** Packets that RNICs have sent. */
    public long packetsSent() {
        return carrier.sent();
    }

    /** Packets to LIDs that do not exist, and those that were lost with a link. */
    public long packetsLost() {
        return carrier.lost() + fabric().discarded();
    }

    /** Observes packets from now on, instead of the former observer. */
    public void tap(PacketTap tap) {
        carrier.tap(tap);
    }

    /** A digest of everything that happened, flits included: equal for two runs of a seed. */
    public long traceHash() {
        return world.traceHash();
    }

    /** Closes all RNICs. */
    @Override
    public void close() {
        world.close();
    }
}
