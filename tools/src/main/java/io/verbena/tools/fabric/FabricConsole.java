package io.verbena.tools.fabric;

import io.verbena.fabric.ibsim.IbsimServer;
import io.verbena.fabric.link.LinkTiming;
import io.verbena.fabric.management.ManagedFabric;
import io.verbena.fabric.routing.CreditLoops;
import io.verbena.fabric.routing.Path;
import io.verbena.fabric.topology.Cable;
import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.NodeKind;
import io.verbena.fabric.topology.Topology;
import io.verbena.fabric.traffic.ManagedTraffic;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The commands that {@code verbena fabric serve} reads from standard input. */
public final class FabricConsole {

    /** One line per command. */
    public static final List<String> HELP = List.of(
            "down NODE [PORT]     unplug the cable at a port, or switch the node off",
            "up NODE [PORT]       plug the cable in, or switch the node on",
            "path NODE to NODE    follow the forwarding tables from one adapter to another",
            "loops                search the routes for credit loops",
            "state                nodes and links by state, and management datagrams so far",
            "traffic              frames that endnodes have sent to each other, if the fabric has traffic",
            "multicast NODE LID   send a frame to a multicast group, from 0xc000 on, along the tables of the manager",
            "help                 show this list",
            "quit                 end");

    private final ManagedFabric fabric;
    private final Topology topology;
    private final IbsimServer server;
    private final Optional<ManagedTraffic> traffic;

    /** A console of this fabric. */
    public FabricConsole(ManagedFabric fabric, IbsimServer server, Optional<ManagedTraffic> traffic) {
        this.fabric = fabric;
        this.traffic = traffic;
        this.server = server;
        topology = fabric.topology();
    }

    /** Executes a line; returns what to print. */
    public List<String> execute(String line) {
        String text = line.strip();
        int space = text.indexOf(' ');
        String verb = space < 0 ? text : text.substring(0, space);
        String rest = space < 0 ? "" : text.substring(space + 1).strip();
        return switch (verb) {
            case "" -> List.of();
            case "down" -> change(rest, false);
            case "up" -> change(rest, true);
            case "path" -> path(rest);
            case "loops" -> loops();
            case "state" -> state();
            case "traffic" -> traffic();
            case "multicast" -> multicast(rest);
            case "help" -> HELP;
            default -> List.of("Unknown command: '" + verb + "'; 'help' lists the commands");
        };
    }

    private List<String> change(String what, boolean up) {
        Optional<Node> whole = topology.find(what);
        if (whole.isPresent()) {
            fabric.node(whole.get().index(), up);
            return List.of("'" + whole.get().name() + "' is switched " + (up ? "on" : "off"));
        }
        int space = what.lastIndexOf(' ');
        Optional<Node> node = space < 0
                ? Optional.empty()
                : topology.find(what.substring(0, space).strip());
        String number = what.substring(space + 1);
        if (node.isEmpty() || !number.matches("\\d{1,3}")) {
            return List.of(
                    "There is no node '" + what + "'; name a node by its name or GUID, and a port of it by its number");
        }
        int cable = topology.cableAt(node.get().index(), Integer.parseInt(number));
        if (cable < 0) {
            return List.of("Port " + number + " of '" + node.get().name() + "' has no cable");
        }
        fabric.cable(cable, up);
        Cable ends = topology.cables().get(cable);
        return List.of("The cable between port " + ends.portA() + " of '"
                + topology.node(ends.nodeA()).name() + "' and port " + ends.portB() + " of '"
                + topology.node(ends.nodeB()).name() + "' is " + (up ? "plugged in" : "unplugged"));
    }

    private List<String> path(String what) {
        int to = what.indexOf(" to ");
        Optional<Node> from =
                to < 0 ? Optional.empty() : topology.find(what.substring(0, to).strip());
        Optional<Node> target =
                to < 0 ? Optional.empty() : topology.find(what.substring(to + 4).strip());
        if (from.isEmpty() || target.isEmpty()) {
            return List.of("Name two nodes: path NODE to NODE");
        }
        int port = firstPort(from.get());
        int lid = fabric.lid(target.get().index(), firstPort(target.get()));
        if (lid == 0) {
            return List.of("'" + target.get().name() + "' has no LID yet: no subnet manager has assigned one");
        }
        Path path = Path.follow(topology, fabric, from.get().index(), port, lid);
        return List.of(
                path.text(topology) + (path.arrived() ? " > " + target.get().name() : "; then " + path.problem()));
    }

    private int firstPort(Node node) {
        for (int port = 1; port <= node.ports() && !node.isSwitch(); port++) {
            if (topology.cableAt(node.index(), port) >= 0) {
                return port;
            }
        }
        return node.isSwitch() ? 0 : 1;
    }

    private List<String> loops() {
        CreditLoops.Verdict verdict = CreditLoops.search(topology, fabric);
        List<String> lines = new ArrayList<>();
        lines.add(verdict.sentence(topology));
        verdict.unreachable().forEach(problem -> lines.add("Not reached: " + problem));
        return lines;
    }

    private List<String> traffic() {
        if (traffic.isEmpty()) {
            return List.of("The fabric has no traffic: start it with --traffic PATTERN");
        }
        ManagedTraffic moved = traffic.get();
        return List.of(String.format(
                Locale.ROOT,
                "%s; %d frames delivered and %d discarded in %.1f µs of virtual time",
                moved.running()
                        ? "Frames are being sent"
                        : "No frames are being sent: links are not active or routes change",
                moved.delivered(),
                moved.discarded(),
                moved.ticks() * LinkTiming.PICOSECONDS_PER_TICK / 1e6));
    }

    private List<String> multicast(String what) {
        int space = what.lastIndexOf(' ');
        String name = space < 0 ? what : what.substring(0, space).strip();
        Optional<Node> from = topology.find(name);
        String lid = space < 0 ? "" : what.substring(space + 1);
        if (from.isEmpty() || !lid.matches("0[xX][cC][0-3][0-9a-fA-F]{2}")) {
            return List.of("Name a node and a group: multicast NODE 0xc000");
        }
        boolean sent = traffic.isPresent()
                && traffic.get().sendToGroup(from.get().index(), firstPort(from.get()), Integer.decode(lid));
        return List.of(
                sent
                        ? "A frame is on its way from '" + from.get().name() + "' to the group " + lid
                        : "No frame was sent: the node has no active link, or the fabric no traffic");
    }

    private List<String> state() {
        long on = topology.nodes().stream()
                .filter(node -> fabric.works(node.index()))
                .count();
        long up = 0;
        long active = 0;
        for (int cable = 0; cable < topology.cables().size(); cable++) {
            up += fabric.connected(cable) ? 1 : 0;
            active += fabric.usable(cable) ? 1 : 0;
        }
        long named = topology.nodes(NodeKind.ADAPTER).stream()
                .filter(node -> fabric.lid(node.index(), firstPort(node)) != 0)
                .count();
        IbsimServer.Figures figures = server.figures();
        return List.of(
                on + " of " + topology.nodes().size() + " nodes work; " + up + " of "
                        + topology.cables().size() + " links are up, " + active + " active; " + named
                        + " adapters have a LID",
                figures.datagrams() + " management datagrams: " + figures.answered() + " answered by agents, "
                        + figures.forwarded() + " between programs, " + figures.lost() + " lost");
    }
}
