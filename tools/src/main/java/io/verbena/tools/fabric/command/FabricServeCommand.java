package io.verbena.tools.fabric.command;

import io.verbena.base.Times;
import io.verbena.fabric.ibsim.IbsimServer;
import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.link.SeededNumbers;
import io.verbena.fabric.management.ManagedFabric;
import io.verbena.fabric.topology.NodeKind;
import io.verbena.fabric.topology.Topology;
import io.verbena.fabric.traffic.Load;
import io.verbena.fabric.traffic.ManagedTraffic;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.fabric.FabricConsole;
import io.verbena.tools.fabric.FabricServer;
import io.verbena.tools.fabric.TrafficPattern;
import io.verbena.tools.fabric.live.ServedFabric;
import io.verbena.tools.text.JsonObject;
import io.verbena.web.WebServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena fabric serve}: offers a simulated fabric to OpenSM and infiniband-diags. */
@Command(
        name = "serve",
        customSynopsis = "verbena fabric serve [OPTIONS] TOPOLOGY",
        description = {
            "Offer a simulated fabric to the management programs of Linux, through the protocol of ibsim: an unmodified OpenSM"
                    + " brings it up, and ibnetdiscover, iblinkinfo, ibtracert, perfquery, saquery and others work on it.",
            "",
            "Every node answers subnet and performance management. Commands on standard input change the fabric while it is"
                    + " managed:",
            "  down NODE [PORT]     unplug the cable at a port, or switch the node off",
            "  up NODE [PORT]       plug the cable in, or switch the node on",
            "  path NODE to NODE    follow the forwarding tables",
            "  loops                search the routes for credit loops",
            "  state                show nodes, links and datagrams",
            "  traffic              show what --traffic has moved",
            "  quit                 end",
            "",
            "Programs need the package libumad2sim0 (Debian) and three variables:",
            "  export IBSIM_SERVER_NAME=127.0.0.1 IBSIM_SERVER_PORT=7070",
            "  export LD_PRELOAD=/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so",
            "SIM_HOST selects the node that a program runs on; by default the first adapter.",
            "",
            "With --traffic, endnodes send frames as soon as a manager has activated the links. Frames follow its tables, and"
                    + " perfquery shows what each port has moved. The traffic runs in slow motion: some microseconds per second.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena fabric serve fat-tree:8",
            "  verbena fabric serve torus:5x5,hosts=2 --port 7100",
            "  verbena fabric serve leaf-spine:8x4 --traffic uniform --load 0.3",
            "  verbena fabric serve fat-tree:4 --traffic uniform --web     in a browser, where cables are unplugged by click",
            "  ibnetdiscover > subnet.txt; verbena fabric serve subnet.txt     a copy of a real subnet"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:ended by 'quit'",
            "1:a port is in use, or the file cannot be read",
            "2:wrong arguments",
            "130:ended by Ctrl-C"
        })
public final class FabricServeCommand extends FiguresCommand {

    private static final long TURN_NS = 100_000_000;
    private static final int LAST_PORT = 65_535;
    private static final int FRAME_BYTES = 256;
    private static final int SLICE_TICKS = 500;

    private final StopSignal stop;

    @Mixin
    private TopologyArgument topology = new TopologyArgument();

    @Option(
            names = {"-p", "--port"},
            paramLabel = "PORT",
            description = "UDP port; the 32 following ones are used, too. Default: 7070.")
    private int port = 7070;

    @Option(
            names = "--traffic",
            paramLabel = "PATTERN",
            description =
                    "Send frames while the fabric is managed: uniform, permutation, tornado, incast or all-to-all.")
    private Optional<TrafficPattern> pattern = Optional.empty();

    @Option(
            names = "--load",
            paramLabel = "PART",
            description = "With --traffic, part of its link that every endnode uses, up to 1. Default: 0.2.")
    private double load = .2;

    @Option(
            names = "--lanes",
            paramLabel = "N",
            description =
                    "With --traffic, virtual lanes, 1 to 15. With several, frames have as many service levels, and"
                            + " the tables of the subnet manager choose and weigh their lanes. Default: 1.")
    private int lanes = 1;

    @Option(
            names = "--errors",
            paramLabel = "RATE",
            description = "With --traffic, probability that a flit is damaged. Default: 0.")
    private double errors;

    @Mixin
    private final NetworkWebArguments web = new NetworkWebArguments();

    public FabricServeCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        if (port < 1 || port + IbsimServer.MOST_CLIENTS > LAST_PORT) {
            throw new UsageProblem("--port must be 1 to " + (LAST_PORT - IbsimServer.MOST_CLIENTS) + ", not " + port);
        }
        Topology shape = topology.topology(terminal);
        ManagedFabric fabric = new ManagedFabric(shape);
        IbsimServer server = new IbsimServer(fabric);
        Optional<ManagedTraffic> traffic = traffic(fabric);
        try (FabricServer sockets = new FabricServer(server, port)) {
            Queue<String> lines = new ConcurrentLinkedQueue<>();
            terminal.say("Serving " + shape + " at UDP port " + port + " of 127.0.0.1. 'help' lists the commands.");
            Thread.ofPlatform().daemon().name("verbena-console").start(() -> read(lines, sockets));
            FabricConsole console = new FabricConsole(fabric, server, traffic);
            if (web.wanted()) {
                ServedFabric shown =
                        new ServedFabric(topology.name(), fabric, traffic, sockets::wakeup, System.nanoTime());
                try (WebServer _ = web.show(shown, terminal::say)) {
                    serve(sockets, console, lines, traffic, Optional.of(shown));
                }
            } else {
                serve(sockets, console, lines, traffic, Optional.empty());
            }
        }
        IbsimServer.Figures done = server.figures();
        figures.put("adapters", shape.count(NodeKind.ADAPTER))
                .put("switches", shape.count(NodeKind.SWITCH))
                .put("cables", shape.cables().size())
                .put("datagrams", done.datagrams())
                .put("answered", done.answered())
                .put("forwarded", done.forwarded())
                .put("lost", done.lost())
                .put("framesDelivered", traffic.map(ManagedTraffic::delivered).orElse(0L));
        return true;
    }

    private Optional<ManagedTraffic> traffic(ManagedFabric fabric) throws UsageProblem {
        if (pattern.isEmpty()) {
            return Optional.empty();
        }
        try {
            ManagedTraffic traffic = new ManagedTraffic(
                    fabric,
                    LinkSettings.DEFAULT.withLanes(lanes).withErrors(errors),
                    nodes -> pattern.get().of(nodes, List.of(nodes), new SeededNumbers(1)),
                    Load.of(load, FRAME_BYTES));
            fabric.addCounts(traffic);
            return Optional.of(traffic);
        } catch (IllegalArgumentException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        }
    }

    private void serve(
            FabricServer sockets,
            FabricConsole console,
            Queue<String> lines,
            Optional<ManagedTraffic> traffic,
            Optional<ServedFabric> page)
            throws IOException {
        long nextNs = System.nanoTime();
        while (!stop.raised()) {
            String line = lines.poll();
            long nowNs = System.nanoTime();
            if (traffic.isPresent() && nowNs - nextNs >= 0) {
                // Management comes first: the simulation gets a fifth of the time at most.
                do {
                    traffic.get().advance(SLICE_TICKS);
                } while (traffic.get().running() && System.nanoTime() - nowNs < TURN_NS / 5);
                nextNs = Times.after(System.nanoTime(), TURN_NS);
            }
            page.ifPresent(shown -> shown.turn(System.nanoTime()));
            if (line == null) {
                sockets.turn(TURN_NS);
            } else if (line.strip().equals("quit")) {
                return;
            } else {
                console.execute(line).forEach(terminal::say);
            }
        }
    }

    /** The end of standard input is no reason to end: the server may run in the background. */
    private static void read(Queue<String> lines, FabricServer sockets) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                lines.add(line);
                sockets.wakeup();
            }
        } catch (IOException e) {
            lines.add("");
        }
    }
}
