package io.verbena.fabric.node;

import io.verbena.fabric.link.Frames;
import io.verbena.fabric.link.Links;

/** The forwarding decision: the ports of a switch by which a frame leaves, as a mask, by its tables. */
final class Forwarding {
    /** Frames pass this many switches in any fabric. In a larger one they may pass each switch once. */
    private static final int LEAST_LIMIT = 64;

    private final Frames frames;
    private final Links links;
    private final Switches switches;
    private final boolean adaptive;
    private final LaneMap laneMap;
    private final int lanes;
    private final int mostHops;
    private final int[] first;
    private final short[][] tables;
    private final long[][] choices;
    private final long[][] groups;
    private boolean[] down = {};

    Forwarding(Wiring wiring, Frames frames, Links links, Switches switches, boolean adaptive, int lanes) {
        this.frames = frames;
        this.links = links;
        this.switches = switches;
        this.adaptive = adaptive;
        this.lanes = lanes;
        laneMap = wiring.laneMap();
        int ports = wiring.ports();
        mostHops = Math.max(LEAST_LIMIT, wiring.nodes() - wiring.lids());
        first = new int[ports];
        tables = new short[ports][];
        choices = new long[ports][];
        groups = new long[ports][];
        for (int p = 0; p < ports; p++) {
            first[p] = p - wiring.local(p) + 1;
            tables[p] = wiring.tableOf(p);
            choices[p] = wiring.choicesOf(p);
            groups[p] = wiring.groupsOf(p);
        }
    }

    /** Ports whose links are broken; the array may change. */
    void down(boolean[] ports) {
        down = ports;
    }

    /** The first port of the switch that a port belongs to. */
    int first(int port) {
        return first[port];
    }

    /** The ports for a frame that came in by {@code port}, bit 0 for the first one; 0 if it must be discarded. */
    long outputs(int port, int frame) {
        if (frames.countHop(frame) > mostHops || frames.broken(frame)) {
            return 0;
        }
        int lid = frames.destination(frame);
        if (lid >= Wiring.MULTICAST) {
            long[] group = groups[port];
            int index = lid - Wiring.MULTICAST;
            return index < group.length ? working(port, group[index] & ~(1L << port - first[port])) : 0;
        }
        long usable = adaptive && lid < choices[port].length ? working(port, choices[port][lid]) : 0;
        if (usable != 0) {
            return 1L << leastLoaded(port, frame, usable);
        }
        int out = lid < tables[port].length ? tables[port][lid] : 0;
        if (out == 0 || links.peer(first[port] + out - 1) < 0 || down[first[port] + out - 1]) {
            return 0;
        }
        return 1L << out - 1;
    }

    /** The ports of a mask whose links are not broken. */
    private long working(int port, long mask) {
        long usable = mask;
        for (long bits = mask; bits != 0; bits &= bits - 1) {
            if (down[first[port] + Long.numberOfTrailingZeros(bits)]) {
                usable &= ~Long.lowestOneBit(bits);
            }
        }
        return usable;
    }

    /** The port with the fewest frames before this one, then with the most credits. The search starts at another port each time. */
    private int leastLoaded(int port, int frame, long mask) {
        int start = frame & Long.SIZE - 1;
        int best = Long.numberOfTrailingZeros(mask);
        int bestLoad = Integer.MAX_VALUE;
        for (long bits = Long.rotateRight(mask, start); bits != 0; bits &= bits - 1) {
            int candidate = Long.numberOfTrailingZeros(bits) + start & Long.SIZE - 1;
            int out = first[port] + candidate;
            int lane = lane(port, out, frame);
            int load = (switches.waiting(out, lane) << 16) - links.credits(out, lane);
            if (load < bestLoad) {
                bestLoad = load;
                best = candidate;
            }
        }
        return best;
    }

    /** The lane of a frame on the link of port {@code out}. */
    int lane(int in, int out, int frame) {
        return laneMap.lane(in, out, frames.level(frame), lanes);
    }
}
