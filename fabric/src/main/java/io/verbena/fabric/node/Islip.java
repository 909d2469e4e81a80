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
    private final byte[] grantTurn;
    private final byte[] acceptTurn;
    private final long[] grants = new long[Long.SIZE];

    Islip(Switches switches, Wiring wiring, int iterations) {
        this.switches = switches;
        this.iterations = iterations;
        int ports = wiring.ports();
        int lines = ports << switches.laneShift;
        portCount = new int[ports];
        for (int p = 0; p < ports; p++) {
            portCount[p] = wiring.portCount(wiring.nodeOf(p));
        }
        wanted = new long[lines];
        busy = new long[lines];
        matchedAt = new long[lines];
        Arrays.fill(matchedAt, -1);
        inputFreeAt = new long[lines];
        grantTurn = new byte[lines];
        acceptTurn = new byte[lines];
    }

    /** An output of the switch with the first port {@code first} is requested on a lane. */
    void wanted(int first, int lane, int output) {
        wanted[(first << switches.laneShift) + lane] |= 1L << output;
    }

    /** An input lane finishes its frame at a tick. */
    void inputFreeAt(int line, long tick) {
        int first = switches.forwarding.first(line >> switches.laneShift);
        int lane = line & (1 << switches.laneShift) - 1;
        busy[(first << switches.laneShift) + lane] &= ~(1L << (line >> switches.laneShift) - first);
        inputFreeAt[line] = tick;
    }

    /** Matches all inputs and outputs that are free now; at most once per tick. */
    void match(int first, int lane, long now) {
        int home = (first << switches.laneShift) + lane;
        if (wanted[home] == 0) {
            return;
        }
        if (matchedAt[home] == now) {
            // The frame may have become the first of its queue after the match of this tick.
            switches.readyLater(now + 1);
            return;
        }
        matchedAt[home] = now;
        long outputs = 0;
        for (long bits = wanted[home]; bits != 0; bits &= bits - 1) {
            int output = Long.numberOfTrailingZeros(bits);
            int line = (first + output << switches.laneShift) + lane;
            if (switches.owner[line] < 0 && switches.links.freeAt(first + output) <= now) {
                outputs |= 1L << output;
            }
        }
        long inputs = freeInputs(first, lane, now);
        for (int i = 0; i < iterations && outputs != 0 && inputs != 0; i++) {
            grant(first, lane, outputs, inputs, now);
            long accepted = accept(first, lane, inputs, i == 0, now);
            if (accepted == 0) {
                return;
            }
            outputs &= ~accepted;
            inputs &= ~busy[home];
        }
    }

    private long freeInputs(int first, int lane, long now) {
        long free = 0;
        long taken = busy[(first << switches.laneShift) + lane];
        for (int input = 0; input < portCount[first]; input++) {
            int line = (first + input << switches.laneShift) + lane;
            if ((taken >> input & 1) == 0) {
                if (inputFreeAt[line] <= now) {
                    free |= 1L << input;
                } else {
                    switches.readyLater(inputFreeAt[line]);
                }
            }
        }
        return free;
    }

    private void grant(int first, int lane, long outputs, long inputs, long now) {
        Arrays.fill(grants, 0, portCount[first], 0);
        for (long bits = outputs; bits != 0; bits &= bits - 1) {
            int output = Long.numberOfTrailingZeros(bits);
            int line = (first + output << switches.laneShift) + lane;
            long candidates = ready(first, lane, output, switches.requests[line] & inputs, now);
            if (candidates != 0) {
                long later = candidates & -1L << grantTurn[line];
                grants[Long.numberOfTrailingZeros(later == 0 ? candidates : later)] |= 1L << output;
            }
        }
    }

    private long ready(int first, int lane, int output, long candidates, long now) {
        long result = candidates;
        for (long bits = candidates; bits != 0; bits &= bits - 1) {
            int input = Long.numberOfTrailingZeros(bits);
            long tick = switches.readyAt(switches.head[switches.queue(first + input, lane, output)]);
            if (tick > now) {
                switches.readyLater(tick);
                result &= ~(1L << input);
            }
        }
        return result;
    }

    private long accept(int first, int lane, long inputs, boolean firstIteration, long now) {
        int home = (first << switches.laneShift) + lane;
        long accepted = 0;
        for (long bits = inputs; bits != 0; bits &= bits - 1) {
            int input = Long.numberOfTrailingZeros(bits);
            if (grants[input] == 0) {
                continue;
            }
            int inLine = (first + input << switches.laneShift) + lane;
            long later = grants[input] & -1L << acceptTurn[inLine];
            int output = Long.numberOfTrailingZeros(later == 0 ? grants[input] : later);
            int line = (first + output << switches.laneShift) + lane;
            switches.assign(line, lane, input, switches.queue(first + input, lane, output));
            if (switches.requests[line] == 0) {
                wanted[home] &= ~(1L << output);
            }
            busy[home] |= 1L << input;
            accepted |= 1L << output;
            if (firstIteration) {
                grantTurn[line] = (byte) (input + 1 & Long.SIZE - 1);
                acceptTurn[inLine] = (byte) (output + 1 & Long.SIZE - 1);
            }
            switches.links.offer(first + output, now);
        }
        return accepted;
    }
}
