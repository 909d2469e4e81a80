package io.verbena.tools.fabric;

import io.verbena.fabric.link.LinkTiming;
import io.verbena.fabric.node.Layouts;
import io.verbena.fabric.node.TopologyWiring;
import io.verbena.fabric.node.Wiring;
import io.verbena.fabric.traffic.Traffic;
import io.verbena.tools.base.Failure;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The wiring, the routes and the service levels that a command-line argument names.
 *
 * @param wiring nodes, links and forwarding tables
 * @param routes how frames are forwarded, in words
 * @param levels service levels that the routes need
 * @param leastLanes lanes that the routes need to be free of deadlocks
 * @param sides number of switches in each dimension of a mesh, torus or ring; else the number of endnodes
 */
public record WiringSource(Wiring wiring, String routes, Traffic.Levels levels, int leastLanes, List<Integer> sides) {

    private static final Pattern GRID = Pattern.compile("(mesh|torus|ring):(\\d{1,5}(?:x\\d{1,5}){0,3})");
    private static final Pattern DRAGONFLY = Pattern.compile("dragonfly:(\\d{1,3})x(\\d{1,3})x(\\d{1,3})");

    /**
     * Reads it. Plain meshes, toruses, rings and dragonflies get their usual routes, everything else up/down routes.
     *
     * @throws Failure if a file cannot be read
     * @throws IllegalArgumentException if the argument or the text is not valid
     */
    public static WiringSource read(String argument) throws Failure {
        Matcher grid = GRID.matcher(argument);
        if (grid.matches()) {
            int[] sides = Arrays.stream(grid.group(2).split("x"))
                    .mapToInt(Integer::parseInt)
                    .toArray();
            if (grid.group(1).equals("mesh")) {
                return new WiringSource(
                        Layouts.mesh(LinkTiming.DEFAULT, sides),
                        "dimension order",
                        Traffic.Levels.ZERO,
                        1,
                        boxed(sides));
            }
            Traffic.Levels levels = (from, to) -> Layouts.torusLevel(from, to, sides);
            return new WiringSource(
                    Layouts.torus(LinkTiming.DEFAULT, sides), "dimension order", levels, 2, boxed(sides));
        }
        Matcher dragonfly = DRAGONFLY.matcher(argument);
        if (dragonfly.matches()) {
            Wiring wiring = Layouts.dragonfly(
                    LinkTiming.DEFAULT,
                    Integer.parseInt(dragonfly.group(1)),
                    Integer.parseInt(dragonfly.group(2)),
                    Integer.parseInt(dragonfly.group(3)));
            return new WiringSource(wiring, "shortest", Traffic.Levels.ZERO, 2, List.of(wiring.lids()));
        }
        Wiring wiring = TopologyWiring.of(TopologySource.read(argument));
        return new WiringSource(wiring, "up/down", Traffic.Levels.ZERO, 1, List.of(wiring.lids()));
    }

    private static List<Integer> boxed(int[] values) {
        return Arrays.stream(values).boxed().toList();
    }
}
