package io.verbena.tools.fabric;

import io.verbena.fabric.link.LinkTiming;
import io.verbena.fabric.management.ManagedFabric;
import io.verbena.fabric.manager.SubnetManager;
import io.verbena.fabric.node.Layouts;
import io.verbena.fabric.node.TopologyWiring;
import io.verbena.fabric.node.Wiring;
import io.verbena.fabric.routing.Routing;
import io.verbena.fabric.topology.Topology;
import io.verbena.fabric.traffic.Traffic;
import io.verbena.tools.base.Failure;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The wiring, the routes and the service levels that a command-line argument names.
 *
 * @param topology nodes with their names
 * @param wiring the same nodes with their links and forwarding tables
 * @param routes how frames are forwarded, in words
 * @param levels service levels that the routes need
 * @param leastLanes lanes that the routes need to be free of deadlocks
 * @param sides number of switches in each dimension of a mesh, torus or ring; else the number of endnodes
 */
public record WiringSource(
        Topology topology, Wiring wiring, String routes, Traffic.Levels levels, int leastLanes, List<Integer> sides) {

    private static final Pattern GRID = Pattern.compile("(mesh|torus|ring):(\\d{1,5}(?:x\\d{1,5}){0,3})");
    private static final Pattern DRAGONFLY = Pattern.compile("dragonfly:(\\d{1,3})x(\\d{1,3})x(\\d{1,3})");

    /**
     * Routes a topology. Without a routing engine, plain meshes, toruses, rings and dragonflies get their usual routes, everything else up/down
     * routes. With one, Verbena's subnet manager computes the routes.
     *
     * @param argument the argument that named the topology
     * @throws Failure if the subnet manager cannot bring the fabric up
     * @throws IllegalArgumentException if the topology cannot be routed
     */
    public static WiringSource of(String argument, Topology topology, Optional<Routing> routing) throws Failure {
        Matcher grid = GRID.matcher(argument);
        int[] sides = grid.matches()
                ? Arrays.stream(grid.group(2).split("x"))
                        .mapToInt(Integer::parseInt)
                        .toArray()
                : new int[0];
        if (routing.isPresent()) {
            return managed(topology, routing.get(), sides);
        }
        if (grid.matches()) {
            return grid(topology, grid.group(1).equals("mesh"), sides);
        }
        Matcher dragonfly = DRAGONFLY.matcher(argument);
        if (dragonfly.matches()) {
            Wiring wiring = Layouts.dragonfly(
                    LinkTiming.DEFAULT,
                    Integer.parseInt(dragonfly.group(1)),
                    Integer.parseInt(dragonfly.group(2)),
                    Integer.parseInt(dragonfly.group(3)));
            return new WiringSource(topology, wiring, "shortest", Traffic.Levels.ZERO, 2, List.of(wiring.lids()));
        }
        Wiring wiring = TopologyWiring.of(topology);
        return new WiringSource(topology, wiring, "up/down", Traffic.Levels.ZERO, 1, List.of(wiring.lids()));
    }

    private static WiringSource grid(Topology topology, boolean mesh, int... sides) {
        if (mesh) {
            Wiring wiring = Layouts.mesh(LinkTiming.DEFAULT, sides);
            return new WiringSource(topology, wiring, "dimension-order", Traffic.Levels.ZERO, 1, boxed(sides));
        }
        Traffic.Levels levels = (from, to) -> Layouts.torusLevel(from, to, sides);
        return new WiringSource(
                topology, Layouts.torus(LinkTiming.DEFAULT, sides), "dimension-order", levels, 2, boxed(sides));
    }

    private static WiringSource managed(Topology topology, Routing routing, int... sides) throws Failure {
        ManagedFabric fabric = new ManagedFabric(topology);
        SubnetManager manager = OwnManager.bringUp(fabric, routing, 0);
        Wiring wiring = TopologyWiring.of(topology, fabric);
        List<Integer> all = sides.length == 0 ? List.of(wiring.lids()) : boxed(sides);
        return new WiringSource(topology, wiring, words(manager.routing()), Traffic.Levels.ZERO, 1, all);
    }

    private static String words(Routing routing) {
        return switch (routing) {
            case MINHOP -> "minhop";
            case UP_DOWN -> "up/down";
            case FAT_TREE -> "fat-tree";
        };
    }

    private static List<Integer> boxed(int... values) {
        return Arrays.stream(values).boxed().toList();
    }
}
