package io.verbena.fabric.management;

import io.verbena.fabric.mad.Smp;
import io.verbena.fabric.mad.SmpHeader;
import io.verbena.fabric.management.Delivery.Outcome;
import io.verbena.fabric.topology.Topology;
import java.util.Optional;
import java.util.function.IntPredicate;

/**
 * Walks management datagrams through a fabric, cable by cable, as switches would forward them. The outcome is FORWARDED with the place
 * of arrival (of a switch: the port by which the packet came in), or LOST with the place and the reason. Every port on the way
 * counts the packet. A walk ends after a limited number of hops.
 */
final class DatagramWalk {

    /** Words of a packet with a MAD, from LRH to ICRC. */
    private static final int MAD_WORDS = 72;

    private static final int MOST_HOPS = 64;
    private static final int NO_PORT = 255;

    private final Topology topology;
    private final ManagedNode[] nodes;
    private final CountedPorts counts;
    private final IntPredicate connected;

    /**
     * Walks through a fabric.
     *
     * @param nodes the nodes with their tables; shared, since a node that is replaced has lost its tables
     * @param connected whether a cable connects its ports
     */
    DatagramWalk(Topology topology, ManagedNode[] nodes, CountedPorts counts, IntPredicate connected) {
        this.topology = topology;
        this.nodes = nodes;
        this.counts = counts;
        this.connected = connected;
    }

    /** Where a packet is: at a port of a node, on its way in. */
    private record Place(int node, int port) {}

    /**
     * Walks by the forwarding tables.
     *
     * @param subnet whether the datagram is one of subnet management, which also passes ports that are not active
     */
    Delivery byLid(int node, int port, int dlid, boolean subnet) {
        if (nodes[node].answersTo(nodes[node].endport(port), dlid)) {
            return new Delivery(Outcome.FORWARDED, node, nodes[node].endport(port), "");
        }
        Place at = new Place(node, port);
        for (int hop = 0; hop < MOST_HOPS; hop++) {
            ManagedNode here = nodes[at.node()];
            int out = hop == 0 && !here.node.isSwitch() ? port : here.node.isSwitch() ? here.forward(dlid) : 0;
            if (out == 0 || out > here.node.ports()) {
                counts.add(at.node(), at.port(), Counter.SWITCH_RELAY_ERRORS, 1);
                return Delivery.lost(
                        at.node(), at.port(), "The node " + name(at.node()) + " has no output port for LID " + dlid);
            }
            Optional<Place> next = cross(at.node(), out, subnet);
            if (next.isEmpty()) {
                return Delivery.lost(at.node(), out, "Port " + out + " of " + name(at.node()) + " has no working link");
            }
            at = next.get();
            ManagedNode there = nodes[at.node()];
            int endport = there.endport(at.port());
            if (there.answersTo(endport, dlid)) {
                return new Delivery(Outcome.FORWARDED, at.node(), endport, "");
            }
        }
        counts.add(at.node(), at.port(), Counter.XMIT_DISCARDS, 1);
        return Delivery.lost(
                at.node(),
                at.port(),
                "LID " + dlid + " is in a forwarding loop: it was not reached after " + MOST_HOPS + " hops");
    }

    /** Walks a directed route, and records the return path in the datagram. */
    Delivery forth(int node, int port, SmpHeader smp) {
        int hops = smp.hopCount();
        if (hops > SmpHeader.MOST_HOPS
                || smp.hopPointer() != 0
                || smp.drSlid() != SmpHeader.PERMISSIVE
                || smp.drDlid() != SmpHeader.PERMISSIVE) {
            return Delivery.lost(node, port, "The directed route is not one that starts and ends with hops");
        }
        Place at = new Place(node, nodes[node].node.isSwitch() ? 0 : port);
        smp.returnPath(0, at.port());
        for (int hop = 1; hop <= hops; hop++) {
            if (hop > 1 && !nodes[at.node()].node.isSwitch()) {
                return Delivery.lost(
                        at.node(),
                        at.port(),
                        "The directed route continues through " + name(at.node()) + ", which is no switch");
            }
            int out = smp.initialPath(hop);
            Optional<Place> next = cross(at.node(), out, true);
            if (next.isEmpty()) {
                return Delivery.lost(at.node(), out, "Port " + out + " of " + name(at.node()) + " has no working link");
            }
            at = next.get();
            smp.returnPath(hop, at.port());
        }
        return new Delivery(Outcome.FORWARDED, at.node(), at.port(), "");
    }

    /** Walks a directed route back: the response of a manager states the ports by which the request came. */
    Delivery back(int node, int port, SmpHeader smp) {
        int hops = smp.hopCount();
        if (hops > SmpHeader.MOST_HOPS) {
            return Delivery.lost(node, port, "The directed route has " + hops + " hops");
        }
        Place at = new Place(node, port);
        for (int hop = hops; hop >= 1; hop--) {
            Optional<Place> next = hop < hops && !nodes[at.node()].node.isSwitch()
                    ? Optional.empty()
                    : cross(at.node(), smp.returnPath(hop), true);
            if (next.isEmpty()) {
                return Delivery.lost(at.node(), at.port(), "The return path ends at " + name(at.node()));
            }
            at = next.get();
        }
        return new Delivery(Outcome.FORWARDED, at.node(), nodes[at.node()].endport(at.port()), "");
    }

    /** Moves a packet over a cable; empty if nothing is connected. Subnet management also passes ports that are not active. */
    private Optional<Place> cross(int node, int out, boolean subnet) {
        int cable = out >= 1 && out < NO_PORT ? topology.cableAt(node, out) : -1;
        if (cable < 0) {
            return Optional.empty();
        }
        int peer = topology.peer(node, out);
        int peerPort = topology.peerPort(node, out);
        boolean passes = connected.test(cable)
                && (subnet
                        || nodes[node].portInfo(out).portState() == Smp.ACTIVE
                                && nodes[peer].portInfo(peerPort).portState() == Smp.ACTIVE);
        if (!passes) {
            counts.add(node, out, Counter.XMIT_DISCARDS, 1);
            return Optional.empty();
        }
        counts.add(node, out, Counter.XMIT_PACKETS, 1);
        counts.add(node, out, Counter.XMIT_DATA, MAD_WORDS);
        counts.add(peer, peerPort, Counter.RCV_PACKETS, 1);
        counts.add(peer, peerPort, Counter.RCV_DATA, MAD_WORDS);
        return Optional.of(new Place(peer, peerPort));
    }

    private String name(int node) {
        return "'" + nodes[node].node.name() + "'";
    }
}
