package io.verbena.tools;

import io.verbena.fabric.endnode.San;
import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.manager.SubnetManager;
import io.verbena.fabric.routing.Routing;
import io.verbena.fabric.topology.Topology;
import io.verbena.fabric.topology.TopologyException;
import io.verbena.tools.base.Failure;
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

    /** The argument itself. */
    String name() {
        return argument;
    }

    Topology topology() throws UsageProblem, Failure {
        try {
            return TopologySource.read(argument);
        } catch (TopologyException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        }
    }

    /** The wiring of two or more endnodes, with the routes of an engine or the usual ones of its shape. */
    WiringSource wiring(Optional<Routing> routing) throws UsageProblem, Failure {
        WiringSource source;
        try {
            source = WiringSource.read(argument, routing);
        } catch (IllegalArgumentException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        }
        if (source.wiring().lids() < 2) {
            throw new UsageProblem("'" + argument + "' has " + source.wiring().lids()
                    + " connected endnodes: traffic needs 2 or more");
        }
        return source;
    }

    /** A network of software RNICs; see {@link SanSource#read}. */
    San network(Optional<SubnetManager.Options> manager, int lanes, UnaryOperator<LinkSettings> links) throws Failure {
        return manager.isPresent()
                ? SanSource.managed(argument, manager.get(), lanes, links)
                : SanSource.read(argument, lanes, links);
    }
}
