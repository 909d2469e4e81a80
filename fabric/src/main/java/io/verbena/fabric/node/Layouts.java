package io.verbena.fabric.node;

import io.verbena.fabric.link.LinkTiming;

/** Wirings of regular shape with their usual routes, one adapter with one port for each endnode. */
public final class Layouts {

    private Layouts() {}

    /** One switch with {@code adapters} adapters. */
    public static Wiring star(int adapters, LinkTiming timing) {
        Wiring wiring = new Wiring();
        int hub = wiring.addSwitch(adapters);
        short[] table = new short[adapters + 1];
        for (int i = 0; i < adapters; i++) {
            wiring.connect(hub, i + 1, wiring.addAdapter(1), 1, timing);
            table[i + 1] = (short) (i + 1);
        }
        wiring.table(hub, table);
        return wiring;
    }

    /**
     * A mesh with one switch per endnode and dimension-order routes, the first dimension first.
     *
     * @param sides number of switches in each dimension
     */
    public static Wiring mesh(LinkTiming timing, int... sides) {
        return new Grid(false, sides).wire(timing);
    }

    /**
     * A torus with one switch per endnode, dimension-order routes and the shorter way round each ring. Frames need the service
     * level of {@link #torusLevel} and two lanes: a frame that passes the edge of a dimension uses the second lane there.
     */
    public static Wiring torus(LinkTiming timing, int... sides) {
        return new Grid(true, sides).wire(timing);
    }

    /** The service level of a path in a torus: a bit for each dimension, set if the path passes its edge. */
    public static int torusLevel(int from, int to, int... sides) {
        return new Grid(true, sides).level(from, to);
    }

    /** The number of links between adjacent switches on a path of a mesh or torus. */
    public static int gridDistance(boolean torus, int from, int to, int... sides) {
        return new Grid(torus, sides).distance(from, to);
    }

    /**
     * A dragonfly: groups of {@code a} switches with {@code p} endnodes and {@code h} links to other groups each, {@code a * h + 1}
     * groups, routes with one link between groups at most. Needs two lanes: a frame uses the second one in its last group.
     */
    public static Wiring dragonfly(LinkTiming timing, int p, int a, int h) {
        return new Dragonfly(p, a, h).wire(timing);
    }
}
