package io.verbena.fabric.node;

import java.util.Arrays;

/**
 * iSLIP: matches free inputs with free outputs of a switch on one lane. Every output grants one of the inputs that have a
 * frame for it, every input accepts one of its grants, both in turn. A turn advances only if a grant of the first
 * iteration is accepted, so that under load the turns of the outputs become different and every match is complete.
 */
final class Islip {
    private final Switches switches;
    private final int iterations;
    private final int[] portCount;
    private final long[] wanted;
    private final long[] busy;
    private final long[] matchedAt;
    private final long[] inputFreeAt;
    private final int[] grantTurn;
    private final int[] acceptTurn;
    /** Longs of a set of ports, as in all arrays of sets here. */
    private final int words;
    /** For each input the outputs that grant it. */
    private final long[] grants;

    private final long[] outputs;
    private final long[] inputs;
    private final long[] candidates;

    Islip(Switches switches, Wiring wiring, int iterations) {
        this.switches = switches;
        this.iterations = iterations;
        int ports = wiring.ports();
        int lines = ports << switches.laneShift;
        portCount = new int[ports];
        for (int p = 0; p < ports; p++) {
            portCount[p] = wiring.portCount(wiring.nodeOf(p));
        }
        words = switches.words;
        wanted = new long[lines * words];
        busy = new long[lines * words];
        grants = new long[Wiring.MOST_PORTS * words];
        outputs = new long[words];
        inputs = new long[words];
        candidates = new long[words];
        matchedAt = new long[lines];
        Arrays.fill(matchedAt, -1);
        inputFreeAt = new long[lines];
        grantTurn = new int[lines];
        acceptTurn = new int[lines];
    }

    /** An output of the switch with the first port {@code first} is requested on a lane. */
    void wanted(int first, int lane, int output) {
        PortSet.add(wanted, set(first, lane), output);
    }

    /** The set of a lane of a switch. */
    private int set(int first, int lane) {
        return ((first << switches.laneShift) + lane) * words;
    }

    /** An input lane finishes its frame at a tick. */
    void inputFreeAt(int line, long tick) {
        int first = switches.forwarding.first(line >> switches.laneShift);
        int lane = line & (1 << switches.laneShift) - 1;
        PortSet.remove(busy, set(first, lane), (line >> switches.laneShift) - first);
        inputFreeAt[line] = tick;
    }

    /** Matches all inputs and outputs that are free now; at most once per tick. */
    void match(int first, int lane, long now) {
        int home = (first << switches.laneShift) + lane;
        int set = home * words;
        if (PortSet.isEmpty(wanted, set, words)) {
            return;
        }
        if (matchedAt[home] == now) {
            // The frame may have become the first of its queue after the match of this tick.
            switches.readyLater(now + 1);
            return;
        }
        matchedAt[home] = now;
        Arrays.fill(outputs, 0);
        for (int output = PortSet.next(wanted, set, words, 0);
                output >= 0;
                output = PortSet.next(wanted, set, words, output + 1)) {
            int line = (first + output << switches.laneShift) + lane;
            if (switches.owner[line] < 0 && switches.links.freeAt(first + output) <= now) {
                PortSet.add(outputs, 0, output);
            }
        }
        freeInputs(first, lane, now);
        boolean more = true;
        for (int i = 0; i < iterations && more; i++) {
            more = !PortSet.isEmpty(outputs, 0, words) && !PortSet.isEmpty(inputs, 0, words);
            if (more) {
                grant(first, lane, now);
                more = accept(first, lane, i == 0, now);
            }
        }
    }

    private void freeInputs(int first, int lane, long now) {
        Arrays.fill(inputs, 0);
        int set = set(first, lane);
        for (int input = 0; input < portCount[first]; input++) {
            int line = (first + input << switches.laneShift) + lane;
            if (!PortSet.contains(busy, set, input)) {
                if (inputFreeAt[line] <= now) {
                    PortSet.add(inputs, 0, input);
                } else {
                    switches.readyLater(inputFreeAt[line]);
                }
            }
        }
    }

    private void grant(int first, int lane, long now) {
        Arrays.fill(grants, 0, portCount[first] * words, 0);
        for (int output = PortSet.next(outputs, 0, words, 0);
                output >= 0;
                output = PortSet.next(outputs, 0, words, output + 1)) {
            int line = (first + output << switches.laneShift) + lane;
            ready(first, lane, output, now);
            int input = PortSet.cyclic(candidates, 0, words, grantTurn[line]);
            if (input >= 0) {
                PortSet.add(grants, input * words, output);
            }
        }
    }

    /** Collects the free inputs whose frame for an output can leave now. */
    private void ready(int first, int lane, int output, long now) {
        int requests = ((first + output << switches.laneShift) + lane) * words;
        for (int word = 0; word < words; word++) {
            candidates[word] = switches.requests[requests + word] & inputs[word];
        }
        for (int input = PortSet.next(candidates, 0, words, 0);
                input >= 0;
                input = PortSet.next(candidates, 0, words, input + 1)) {
            long tick = switches.readyAt(switches.head[switches.queue(first + input, lane, output)]);
            if (tick > now) {
                switches.readyLater(tick);
                PortSet.remove(candidates, 0, input);
            }
        }
    }

    /** Each input accepts one of its grants. Returns whether one did. */
    private boolean accept(int first, int lane, boolean firstIteration, long now) {
        int set = set(first, lane);
        boolean any = false;
        for (int input = PortSet.next(inputs, 0, words, 0);
                input >= 0;
                input = PortSet.next(inputs, 0, words, input + 1)) {
            int inLine = (first + input << switches.laneShift) + lane;
            int output = PortSet.cyclic(grants, input * words, words, acceptTurn[inLine]);
            if (output < 0) {
                continue;
            }
            int line = (first + output << switches.laneShift) + lane;
            switches.assign(line, lane, input, switches.queue(first + input, lane, output));
            if (PortSet.isEmpty(switches.requests, line * words, words)) {
                PortSet.remove(wanted, set, output);
            }
            PortSet.add(busy, set, input);
            PortSet.remove(inputs, 0, input);
            PortSet.remove(outputs, 0, output);
            any = true;
            if (firstIteration) {
                grantTurn[line] = input + 1;
                acceptTurn[inLine] = output + 1;
            }
            switches.links.offer(first + output, now);
        }
        return any;
    }
}
