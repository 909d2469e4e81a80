package io.verbena.tools.fabric;

import io.verbena.fabric.node.Wiring;
import io.verbena.web.NetworkState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Remembers which nodes and links have failed, so that a node that returns brings back only the links that did not fail by themselves and do
 * not lead to a failed node. What happens is noted in sentences.
 */
public final class Failures implements FaultTarget {

    private final FaultTarget target;
    private final FabricNames names;
    private final Wiring wiring;
    private final LongSupplier nowNs;
    private final Set<Integer> nodes = new HashSet<>();
    /** Links by their lower port. */
    private final Set<Integer> links = new HashSet<>();

    private final List<NetworkState.Event> events = new ArrayList<>();

    /** Nothing has failed. */
    public Failures(FaultTarget target, FabricNames names, LongSupplier nowNs) {
        this.target = target;
        this.names = names;
        this.nowNs = nowNs;
        wiring = names.wiring();
    }

    private int lower(int port) {
        return Math.min(port, wiring.peer(port));
    }

    /** Whether a node of the wiring works. */
    public boolean nodeWorks(int node) {
        return !nodes.contains(node);
    }

    /** Whether a port has a link that works, between two nodes that work. */
    public boolean linkWorks(int port) {
        return !links.contains(lower(port))
                && nodeWorks(wiring.nodeOf(port))
                && nodeWorks(wiring.nodeOf(wiring.peer(port)));
    }

    /** What has happened so far. */
    public List<NetworkState.Event> events() {
        return List.copyOf(events);
    }

    private void note(String sentence) {
        events.add(new NetworkState.Event(nowNs.getAsLong(), sentence));
    }

    @Override
    public void node(int node, boolean works) {
        if (nodeWorks(node) == works) {
            return;
        }
        if (works) {
            nodes.remove(node);
        } else {
            nodes.add(node);
        }
        note(names.node(node) + (works ? " works again" : " has failed"));
        target.node(node, works);
        for (int port = wiring.port(node, 1); works && port < wiring.port(node, 1) + wiring.portCount(node); port++) {
            if (wiring.peer(port) >= 0 && !linkWorks(port)) {
                target.link(port, false);
            }
        }
    }

    @Override
    public void link(int port, boolean works) {
        boolean changed = works ? links.remove(lower(port)) : links.add(lower(port));
        if (!changed) {
            return;
        }
        note("the link of " + names.link(port) + (works ? " works again" : " has failed"));
        if (!works || linkWorks(port)) {
            target.link(port, works);
        }
    }

    @Override
    public void errors(int port, double rate) {
        note(names.link(port) + ": flits are damaged with a probability of " + rate);
        target.errors(port, rate);
    }

    @Override
    public void credits(int port, double rate) {
        note(names.link(port) + ": credits are lost with a probability of " + rate);
        target.credits(port, rate);
    }

    @Override
    public void slow(int port, int ticks) {
        note(names.node(wiring.nodeOf(port)) + " takes a flit every " + ticks + " ticks");
        target.slow(port, ticks);
    }
}
