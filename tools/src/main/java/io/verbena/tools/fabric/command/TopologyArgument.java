package io.verbena.tools.fabric.command;

import io.verbena.fabric.endnode.San;
import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.manager.SubnetManager;
import io.verbena.fabric.routing.Routing;
import io.verbena.fabric.topology.Topology;
import io.verbena.fabric.topology.TopologyException;
import io.verbena.tools.base.Failure;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.fabric.SanSource;
import io.verbena.tools.fabric.TopologySource;
import io.verbena.tools.fabric.WiringSource;
import java.util.Optional;
import java.util.function.UnaryOperator;
import picocli.CommandLine.Parameters;

/** The fabric that a command simulates. */
final class TopologyArgument {

    @Parameters(
            paramLabel = "TOPOLOGY",
            description = "A shape, such as fat-tree:8, leaf-spine:8x4, mesh:5x5, torus:5x5, hypercube:4, ring:6,"
                    + " dragonfly:2x4x2 or machine-room; or a file with the text of ibnetdiscover.")
    private String argument = "";

    private Optional<Topology> read = Optional.empty();

    /** The argument itself. */
    String name() {
        return argument;
    }

    /** The topology, which is read once. Warnings about its text go to standard error. */
    Topology topology(Terminal terminal) throws UsageProblem, Failure {
        if (read.isPresent()) {
            return read.get();
        }
        try {
            Topology topology = TopologySource.read(argument, warning -> terminal.say("Warning: " + warning));
            read = Optional.of(topology);
            return topology;
        } catch (TopologyException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        }
    }

    /** The wiring of two or more endnodes, with the routes of an engine or the usual ones of its shape. */
    WiringSource wiring(Optional<Routing> routing, Terminal terminal) throws UsageProblem, Failure {
        WiringSource source;
        Topology topology = topology(terminal);
        try {
            source = WiringSource.of(argument, topology, routing);
        } catch (IllegalArgumentException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        }
        if (source.wiring().lids() < 2) {
            throw new UsageProblem("'" + argument + "' has " + source.wiring().lids()
                    + " connected endnodes: traffic needs 2 or more");
        }
        return source;
    }

    /** A network of software RNICs; see {@link SanSource#of}. */
    San network(
            Terminal terminal, Optional<SubnetManager.Options> manager, int lanes, UnaryOperator<LinkSettings> links)
            throws Failure, UsageProblem {
        Topology topology = topology(terminal);
        return manager.isPresent()
                ? SanSource.managed(topology, manager.get(), lanes, links)
                : SanSource.of(argument, topology, lanes, links);
    }
}
