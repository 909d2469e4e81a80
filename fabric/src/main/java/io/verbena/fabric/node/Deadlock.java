package io.verbena.fabric.node;

import io.verbena.fabric.link.Links;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Finds lanes that wait for each other in a cycle. An input queue with a frame waits for one of three: for the owner of its
 * output lane; for the full buffer at the other end of its output; or for the rest of its frame, which waits in the buffer
 * before it. Each waits for exactly one other, so following them either ends at something that can move, or in a cycle.
 * Multicast frames are followed along one of their branches.
 */
public final class Deadlock {

    /**
     * An input lane of a switch that is part of a cycle.
     *
     * @param node the switch
     * @param port its port, from 1
     * @param lane the virtual lane
     */
    public record Lane(int node, int port, int lane) {
        @Override
        public String toString() {
            return "node " + node + " port " + port + " VL" + lane;
        }
    }

    private static final int NONE = -1;

    private final Wiring wiring;
    private final Switches switches;
    private final Links links;

    Deadlock(Wiring wiring, Switches switches, Links links) {
        this.wiring = wiring;
        this.switches = switches;
        this.links = links;
    }

    List<Lane> cycle() {
        int queues = switches.head.length;
        int[] visitedBy = new int[queues];
        Arrays.fill(visitedBy, NONE);
        int[] ownerOf = outputsByOwner();
        for (int start = 0; start < queues; start++) {
            int q = switches.branch[start] != Switches.NO_FRAME ? start : NONE;
            while (q >= 0 && visitedBy[q] == NONE) {
                visitedBy[q] = start;
                q = waitsFor(q, ownerOf);
            }
            if (q >= 0 && visitedBy[q] == start) {
                return lanes(q, ownerOf);
            }
        }
        return List.of();
    }

    /** The output lane that each queue owns, or -1. */
    private int[] outputsByOwner() {
        int[] result = new int[switches.head.length];
        Arrays.fill(result, NONE);
        for (int line = 0; line < switches.owner.length; line++) {
            if (switches.owner[line] >= 0) {
                result[switches.owner[line]] = line;
            }
        }
        return result;
    }

    private List<Lane> lanes(int from, int[] ownerOf) {
        List<Lane> result = new ArrayList<>();
        int q = from;
        do {
            int line = q >> switches.queueShift;
            int port = line >> switches.laneShift;
            result.add(new Lane(wiring.nodeOf(port), wiring.local(port), line & (1 << switches.laneShift) - 1));
            q = waitsFor(q, ownerOf);
        } while (q != from);
        return result;
    }

    private int waitsFor(int q, int[] ownerOf) {
        int branch = switches.branch[q];
        if (branch == Switches.NO_FRAME || branch == Switches.DISCARD) {
            return NONE;
        }
        int output = ownerOf[q];
        if (output < 0) {
            int in = q >> switches.queueShift + switches.laneShift;
            int out = switches.forwarding.first(in) + (branch == Switches.SEVERAL ? switches.copy(q, 0) : branch - 1);
            int owner = switches.owner[(out << switches.laneShift) + switches.outLane(q)];
            return owner == q ? NONE : owner;
        }
        if (switches.cursor[output] < 0) {
            return before(q);
        }
        return after(output);
    }

    /** The queue that holds the rest of a frame whose first flits are in {@code q} or beyond. */
    private int before(int q) {
        int line = q >> switches.queueShift;
        int sender = links.peer(line >> switches.laneShift);
        return switches.owner[(sender << switches.laneShift) + (line & (1 << switches.laneShift) - 1)];
    }

    /** The queue at the other end of an output lane without credits. */
    private int after(int output) {
        int out = output >> switches.laneShift;
        int lane = output & (1 << switches.laneShift) - 1;
        int line = (links.peer(out) << switches.laneShift) + lane;
        if (links.credits(out, lane) > 0
                || !wiring.isSwitch(wiring.nodeOf(links.peer(out)))
                || links.levels().willCome(out, lane)) {
            return NONE;
        }
        return waitingQueue(line);
    }

    private int waitingQueue(int line) {
        int firstQueue = line << switches.queueShift;
        for (int i = 0; i < 1 << switches.queueShift; i++) {
            if (switches.head[firstQueue + i] >= 0) {
                return firstQueue + i;
            }
        }
        return NONE;
    }
}
