package io.verbena.tools.fabric.live;

import io.verbena.fabric.link.LinkTiming;
import io.verbena.fabric.management.Counter;
import io.verbena.fabric.management.ManagedFabric;
import io.verbena.fabric.topology.Cable;
import io.verbena.fabric.topology.Topology;
import io.verbena.fabric.traffic.ManagedTraffic;
import io.verbena.tools.fabric.ActionQueue;
import io.verbena.tools.fabric.Placement;
import io.verbena.web.NetworkAction;
import io.verbena.web.NetworkNode;
import io.verbena.web.NetworkPlan;
import io.verbena.web.NetworkSource;
import io.verbena.web.NetworkState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * A fabric that other programs manage, as a page shows it. Its cables are unplugged and its nodes switched off by click; its time is that of
 * its managers, and cannot be set.
 */
public final class ServedFabric implements NetworkSource {

    private static final int BYTES_PER_WORD = 4;
    private static final int FLIT_BYTES = 64;
    private static final int PERCENT = 100;
    private static final int MOST_EVENTS = 100;

    /** Looking at all cables for each datagram would delay management. */
    private static final long PAUSE_NS = 100_000_000;

    private final ManagedFabric fabric;
    private final Topology topology;
    private final Optional<ManagedTraffic> traffic;
    private final ActionQueue requests;
    private final NetworkPlan plan;
    private final long beganNs;
    private final List<NetworkState.Event> events = new ArrayList<>();
    private final long[] words;
    private byte[] percent;
    private long ticks;
    private long lookedNs;
    private volatile NetworkState state;

    /**
     * Shows a fabric.
     *
     * @param argument names the topology
     * @param wakeup interrupts the thread that calls {@link #turn}
     */
    public ServedFabric(
            String argument, ManagedFabric fabric, Optional<ManagedTraffic> traffic, Runnable wakeup, long nowNs) {
        this.fabric = fabric;
        this.traffic = traffic;
        topology = fabric.topology();
        requests = new ActionQueue(wakeup);
        plan = plan(argument, topology);
        beganNs = nowNs;
        words = new long[2 * topology.cables().size()];
        percent = new byte[words.length];
        state = look(nowNs);
    }

    private static NetworkPlan plan(String argument, Topology topology) {
        Placement placement = Placement.of(argument, topology);
        return new NetworkPlan(
                argument,
                FabricMap.nodes(topology, placement),
                topology.cables().stream()
                        .map(cable -> new NetworkPlan.Link(
                                new NetworkPlan.End(cable.nodeA(), cable.portA()),
                                new NetworkPlan.End(cable.nodeB(), cable.portB()),
                                placement.bend(topology, cable.nodeA(), cable.nodeB())))
                        .toList(),
                1,
                false);
    }

    @Override
    public NetworkPlan plan() {
        return plan;
    }

    @Override
    public NetworkState state() {
        return state;
    }

    @Override
    public NetworkNode node(int node) {
        return requests.node(plan, node, () -> look(node));
    }

    @Override
    public void act(NetworkAction action) {
        requests.add(plan, action, this::execute);
    }

    private void execute(NetworkAction action) {
        if (action instanceof NetworkAction.Node(int node, boolean works)) {
            fabric.node(node, works);
        } else if (action instanceof NetworkAction.Link(int link, boolean works)) {
            fabric.cable(link, works);
        }
    }

    /** Does what pages ask for, and shows them the state at a time. Called by the one thread that uses the fabric. */
    public void turn(long nowNs) {
        boolean asked = requests.execute();
        if (!asked && nowNs - lookedNs < PAUSE_NS) {
            return;
        }
        lookedNs = nowNs;
        NetworkState before = state;
        state = look(nowNs);
        changes(before);
    }

    /** Notes what has changed, whether a page or the console has done it. */
    private void changes(NetworkState before) {
        long nowNs = state.clock().nowNs();
        for (int node = 0; node < plan.nodes().size(); node++) {
            if (before.nodesDown().contains(node) != state.nodesDown().contains(node)) {
                String what = state.nodesDown().contains(node) ? " is switched off" : " is switched on";
                events.add(new NetworkState.Event(nowNs, topology.node(node).name() + what));
            }
        }
        for (int cable = 0; cable < plan.links().size(); cable++) {
            if (before.linksDown().contains(cable) != state.linksDown().contains(cable)) {
                String what = state.linksDown().contains(cable) ? " is down" : " is up";
                events.add(new NetworkState.Event(nowNs, "the link of " + name(cable) + what));
            }
        }
        events.subList(0, Math.max(0, events.size() - MOST_EVENTS)).clear();
    }

    private String name(int cable) {
        Cable ends = topology.cables().get(cable);
        return topology.node(ends.nodeA()).name() + " to "
                + topology.node(ends.nodeB()).name();
    }

    private NetworkState look(long nowNs) {
        long timeNs = nowNs - beganNs;
        List<Integer> links =
                IntStream.range(0, topology.cables().size()).boxed().toList();
        long active = links.stream().filter(fabric::usable).count();
        return new NetworkState(
                new NetworkState.Clock(timeNs, timeNs, NetworkState.Pace.RUNNING, 1e9, ""),
                IntStream.range(0, topology.nodes().size())
                        .filter(node -> !fabric.works(node))
                        .boxed()
                        .toList(),
                links.stream().filter(cable -> !fabric.connected(cable)).toList(),
                List.of(loads()),
                events,
                List.of(
                        new NetworkState.Fact("links", String.valueOf(links.size())),
                        new NetworkState.Fact("active", String.valueOf(active)),
                        new NetworkState.Fact("frames", frames(ManagedTraffic::delivered)),
                        new NetworkState.Fact("discarded", frames(ManagedTraffic::discarded))));
    }

    private String frames(ToLongFunction<ManagedTraffic> count) {
        return traffic.map(each -> String.valueOf(count.applyAsLong(each))).orElse("no traffic");
    }

    /** Loads since the traffic has moved last, in its own time. */
    private byte[] loads() {
        long passed = traffic.map(ManagedTraffic::ticks).orElse(0L) - ticks;
        if (passed == 0 && traffic.map(ManagedTraffic::running).orElse(false)) {
            return percent;
        }
        ticks += passed;
        percent = new byte[words.length];
        for (int cable = 0; cable < topology.cables().size(); cable++) {
            Cable ends = topology.cables().get(cable);
            int flitTicks = LinkTiming.of(ends.rate().megabitsPerSecond(), ends.lengthMetres())
                    .flitTicks();
            percent[2 * cable] = load(2 * cable, ends.nodeA(), ends.portA(), passed, flitTicks);
            percent[2 * cable + 1] = load(2 * cable + 1, ends.nodeB(), ends.portB(), passed, flitTicks);
        }
        return percent;
    }

    private byte load(int direction, int node, int port, long passed, int flitTicks) {
        long now =
                traffic.map(each -> each.count(node, port, Counter.XMIT_DATA)).orElse(0L);
        long flits = (now - words[direction]) * BYTES_PER_WORD / FLIT_BYTES;
        words[direction] = now;
        return (byte) (passed <= 0 ? 0 : Math.min(PERCENT, flits * flitTicks * PERCENT / passed));
    }

    /** A port without figures of its buffers: the traffic of a managed fabric begins anew with each change of its routes. */
    private NetworkNode look(int node) {
        List<NetworkNode.Port> ports = new ArrayList<>();
        for (int port = 1; port <= topology.node(node).ports(); port++) {
            int cable = topology.cableAt(node, port);
            if (cable >= 0) {
                ports.add(new NetworkNode.Port(port, cable, 0, List.of()));
            }
        }
        return new NetworkNode(node, ports);
    }
}
