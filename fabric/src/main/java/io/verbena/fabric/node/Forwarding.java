package io.verbena.fabric.node;

import io.verbena.fabric.link.Frames;
import io.verbena.fabric.link.Links;
import java.util.Arrays;

/** The forwarding decision: the ports of a switch by which a frame leaves, by its tables. */
final class Forwarding {
    /** Frames pass this many switches in any fabric. In a larger one they may pass each switch once. */
    private static final int LEAST_LIMIT = 64;
    /** Answers of {@link #output}. */
    static final int NOWHERE = 0;

    static final int SEVERAL = -1;

    private final Frames frames;
    private final Links links;
    private final Switches switches;
    private final boolean adaptive;
    private final LaneMap laneMap;
    private final int lanes;
    private final int mostHops;
    private final int[] first;
    /** Longs of a set of the ports of the same switch. */
    private final int[] words;
    /** The ports of the last answer {@link #SEVERAL}. */
    final long[] several = new long[PortSet.words(Wiring.MOST_PORTS)];

    private final long[] usable = new long[PortSet.words(Wiring.MOST_PORTS)];
    private final ForwardingBlocks blocks;
    private final int[][] tables;
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
        words = new int[ports];
        blocks = wiring.blocks();
        tables = new int[ports][];
        choices = new long[ports][];
        groups = new long[ports][];
        for (int p = 0; p < ports; p++) {
            first[p] = p - wiring.local(p) + 1;
            words[p] = wiring.words(wiring.nodeOf(p));
            tables[p] = wiring.tableOf(p);
            choices[p] = wiring.choicesOf(p);
            groups[p] = wiring.groupsOf(p);
        }
    }

    /** Ports whose links are broken; the array may change. */
    void down(boolean[] ports) {
        down = ports;
    }

    /** Changes the entry of a group in the table of the switch with these ports. */
    void group(int from, int count, int group, long[] out) {
        int at = group * words[from];
        long[] table = groups[from];
        if (table.length < at + words[from]) {
            table = Arrays.copyOf(table, Math.max(at + words[from], 2 * table.length));
            Arrays.fill(groups, from, from + count, table);
        }
        System.arraycopy(out, 0, table, at, words[from]);
    }

    /** The first port of the switch that a port belongs to. */
    int first(int port) {
        return first[port];
    }

    /**
     * The port, from 1 on, for a frame that came in by {@code port}; {@link #NOWHERE} if it must be discarded; {@link #SEVERAL} if it goes
     * to the ports in {@link #several}.
     */
    int output(int port, int frame) {
        if (frames.countHop(frame) > mostHops || frames.broken(frame)) {
            return NOWHERE;
        }
        int lid = frames.destination(frame);
        if (lid >= Wiring.MULTICAST) {
            return group(port, lid - Wiring.MULTICAST);
        }
        if (adaptive && lid * words[port] < choices[port].length && working(port, choices[port], lid, usable)) {
            return leastLoaded(port, frame) + 1;
        }
        int out = blocks.port(tables[port], lid);
        return out == 0 || links.peer(first[port] + out - 1) < 0 || down[first[port] + out - 1] ? NOWHERE : out;
    }

    /** A multicast goes to the ports of its group, except the one that it came from. */
    private int group(int port, int group) {
        if (group * words[port] >= groups[port].length || !working(port, groups[port], group, several)) {
            return NOWHERE;
        }
        PortSet.remove(several, 0, port - first[port]);
        int size = PortSet.size(several, 0, several.length);
        return size == 0 ? NOWHERE : size == 1 ? PortSet.next(several, 0, several.length, 0) + 1 : SEVERAL;
    }

    /** Writes the ports of an entry whose links are not broken. Returns whether there are any. */
    private boolean working(int port, long[] sets, int entry, long[] to) {
        int length = words[port];
        long any = 0;
        for (int word = 0; word < to.length; word++) {
            long bits = word < length ? sets[entry * length + word] : 0;
            for (long rest = bits; rest != 0; rest &= rest - 1) {
                if (down[first[port] + (word << 6) + Long.numberOfTrailingZeros(rest)]) {
                    bits &= ~Long.lowestOneBit(rest);
                }
            }
            to[word] = bits;
            any |= bits;
        }
        return any != 0;
    }

    /** The port with the fewest frames before this one, then with the most credits. The search starts at another port each time. */
    private int leastLoaded(int port, int frame) {
        int length = words[port];
        int begin = PortSet.cyclic(usable, 0, length, frame % (length << 6));
        int best = begin;
        int bestLoad = Integer.MAX_VALUE;
        int candidate = begin;
        do {
            int out = first[port] + candidate;
            int lane = lane(port, out, frame);
            int load = (switches.waiting(out, lane) << 16) - links.credits(out, lane);
            if (load < bestLoad) {
                bestLoad = load;
                best = candidate;
            }
            candidate = PortSet.cyclic(usable, 0, length, candidate + 1);
        } while (candidate != begin);
        return best;
    }

    /** The lane of a frame on the link of port {@code out}. */
    int lane(int in, int out, int frame) {
        return laneMap.lane(in, out, frames.level(frame), lanes);
    }
}
