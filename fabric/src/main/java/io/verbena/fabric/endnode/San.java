package io.verbena.fabric.endnode;

import io.verbena.fabric.node.Fabric;
import io.verbena.fabric.node.TopologyWiring;
import io.verbena.fabric.node.Wiring;
import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.Topology;
import io.verbena.sim.World;
import io.verbena.verbs.RnicOptions;
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

    private final World world;
    private final EndnodePorts ports;
    private final FabricCarrier carrier;
    private final List<Optional<Endnode>> opened;
    private final List<String> switchNames;

    /** A network in which each adapter is an endnode. */
    public San(Wiring wiring, SanSettings settings) {
        this(wiring, settings, EndnodePorts.of(wiring), List.of());
    }

    private San(Wiring wiring, SanSettings settings, EndnodePorts ports, List<String> switchNames) {
        this.switchNames = switchNames;
        this.ports = ports;
        carrier = new FabricCarrier(
                wiring,
                settings,
                ports,
                endnode -> new EndnodeView(
                        ports, settings.levels(), settings.link().lanes(), endnode));
        world = new World(settings.link().seed()).withCarrier(carrier).withMostEvents(MOST_EVENTS);
        opened = new ArrayList<>(Collections.nCopies(ports.endnodes(), Optional.empty()));
    }

    /** The network of a topology, with up/down routes. Each adapter is an endnode with as many ports as it has cables. */
    public static San of(Topology topology, SanSettings settings) {
        List<String> names =
                topology.nodes().stream().filter(Node::isSwitch).map(Node::name).toList();
        return new San(TopologyWiring.of(topology), settings, EndnodePorts.of(topology), names);
    }

    /** The number of a switch of the topology, for {@link #breakNode}; empty if there is none with this name. */
    public OptionalInt switchNumber(String name) {
        int number = switchNames.indexOf(name);
        return number < 0 ? OptionalInt.empty() : OptionalInt.of(number);
    }

    /** Number of endnodes. */
    public int endnodes() {
        return ports.endnodes();
    }

    /** The endnode with a number from 0 on, with an RNIC of default options unless it is open. */
    public Endnode open(int endnode) {
        return opened.get(endnode).orElseGet(() -> open(endnode, RnicOptions.defaults()));
    }

    /** Opens the RNIC of an endnode that is not open. */
    public Endnode open(int endnode, RnicOptions options) {
        if (opened.get(endnode).isPresent()) {
            throw new IllegalStateException("the RNIC of endnode " + endnode + " is open already");
        }
        carrier.nextHostIs(endnode);
        Endnode made = new Endnode(endnode, ports, world.addHost(options.withEngines(1)));
        opened.set(endnode, Optional.of(made));
        return made;
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
        carrier.change(
                world.elapsedNs(), fabric -> fabric.breakLink(fabric.wiring().port(node, port)));
    }

    /** Repairs a link. */
    public void repairLink(int node, int port) {
        carrier.change(
                world.elapsedNs(), fabric -> fabric.repairLink(fabric.wiring().port(node, port)));
    }

    /** Breaks all links of a node, for example of a switch that is switched off. */
    public void breakNode(int node) {
        carrier.change(world.elapsedNs(), fabric -> fabric.breakNode(node));
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
