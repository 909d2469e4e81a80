package io.verbena.tools.fabric;

import io.verbena.fabric.endnode.San;
import io.verbena.fabric.endnode.SanSettings;
import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.manager.SubnetManager;
import io.verbena.fabric.topology.Topology;
import io.verbena.tools.base.Failure;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The simulated network of software RNICs that a command-line argument names. */
public final class SanSource {

    private static final String TREE_ROUTES = "up/down";

    private SanSource() {}

    /**
     * Builds it with a subnet manager that continues to work.
     *
     * @param lanes virtual lanes; 0 for two
     * @throws Failure if the subnet cannot be brought up
     * @throws IllegalArgumentException if something is not valid
     */
    public static San managed(
            Topology topology, SubnetManager.Options manager, int lanes, UnaryOperator<LinkSettings> links)
            throws Failure {
        LinkSettings link =
                links.apply(lanes == 0 ? SanSettings.DEFAULT.link() : LinkSettings.DEFAULT.withLanes(lanes));
        try {
            return San.managed(topology, SanSettings.DEFAULT.with(link), manager.withLanes(lanesFor(link.lanes())));
        } catch (IllegalStateException e) {
            throw new Failure(String.valueOf(e.getMessage()), e);
        }
    }

    /** The numbers of lanes that a subnet manager can set are powers of two. */
    private static int lanesFor(int lanes) {
        return Math.min(8, Integer.highestOneBit(lanes));
    }

    /**
     * Builds it, with the routes of {@link WiringSource}. Adapters of shapes without routes of their own keep all their ports.
     *
     * @param lanes virtual lanes; 0 for what the routes need
     * @param links further properties of the links
     * @throws IllegalArgumentException if something is not valid
     */
    public static San of(String argument, Topology topology, int lanes, UnaryOperator<LinkSettings> links)
            throws Failure {
        WiringSource source = WiringSource.of(argument, topology, Optional.empty());
        LinkSettings link = links.apply(LinkSettings.DEFAULT.withLanes(lanes == 0 ? source.leastLanes() : lanes));
        SanSettings settings = SanSettings.DEFAULT.with(link);
        if (source.leastLanes() > 1) {
            settings = settings.with((from, to, wanted) -> source.levels().level(from - 1, to - 1));
        }
        return source.routes().equals(TREE_ROUTES)
                ? San.of(source.topology(), source.wiring(), settings)
                : new San(source.wiring(), settings);
    }
}
