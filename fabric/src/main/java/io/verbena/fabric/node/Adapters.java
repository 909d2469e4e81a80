package io.verbena.fabric.node;

import io.verbena.fabric.link.Frames;
import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.link.Links;
import io.verbena.fabric.link.TimingWheel;
import java.util.Arrays;

/** The ports of all adapters: frames that wait for their link, lane by lane, and the consumption of what arrives. */
final class Adapters {
    private final Frames frames;
    private final Links links;
    private final int laneShift;
    private final int depth;
    private final int[] first;
    private final int[] last;
    private final int[] sent;
    private final int[] waiting;
    private final int[] length;
    private final int[] drainTicks;
    private final long[] drainAt;
    private final int[][] undrained;
    private final int[] undrainedAt;
    private final int[] undrainedCount;

    Adapters(int ports, Frames frames, Links links, LinkSettings settings) {
        this.frames = frames;
        this.links = links;
        laneShift = Links.laneShift(settings.lanes());
        depth = settings.bufferFlits() * settings.lanes();
        first = new int[ports << laneShift];
        last = new int[ports << laneShift];
        Arrays.fill(first, Frames.NONE);
        sent = new int[ports << laneShift];
        waiting = new int[ports];
        length = new int[ports];
        drainTicks = new int[ports];
        drainAt = new long[ports];
        undrained = new int[ports][0];
        undrainedAt = new int[ports];
        undrainedCount = new int[ports];
    }

    /** A frame waits for the link of a port. */
    void enqueue(int port, int lane, int frame) {
        int line = (port << laneShift) + lane;
        if (first[line] == Frames.NONE) {
            first[line] = frame;
            sent[line] = 0;
        } else {
            frames.next(last[line], frame);
        }
        last[line] = frame;
        waiting[port] |= 1 << lane;
        length[port]++;
        links.offer(port, links.now());
    }

    /** Frames that have not left a port completely. */
    int queued(int port) {
        return length[port];
    }

    int readyLanes(int port) {
        return waiting[port];
    }

    int take(int port, int lane) {
        int line = (port << laneShift) + lane;
        int frame = first[line];
        int index = sent[line];
        int bits = index == 0 ? Frames.HEAD : 0;
        if (index + 1 < frames.flits(frame)) {
            sent[line] = index + 1;
        } else {
            bits |= Frames.TAIL;
            sent[line] = 0;
            length[port]--;
            first[line] = frames.next(frame);
            if (first[line] == Frames.NONE) {
                waiting[port] &= ~(1 << lane);
            }
        }
        return Frames.flit(frame, bits);
    }

    /** Makes the consumer of a port slow: it takes one flit in this number of ticks; 0 for at once. */
    void drain(int port, int ticksPerFlit) {
        drainTicks[port] = ticksPerFlit;
        if (undrained[port].length == 0) {
            undrained[port] = new int[depth];
        }
    }

    /** A flit has arrived. Returns whether it is consumed at once; otherwise {@link #drained} will return its lane. */
    boolean accept(int port, int lane, long now) {
        if (drainTicks[port] == 0 && undrainedCount[port] == 0) {
            return true;
        }
        int[] ring = undrained[port];
        ring[(undrainedAt[port] + undrainedCount[port]++) % ring.length] = lane;
        if (undrainedCount[port] == 1) {
            drainAt[port] = Math.max(now, drainAt[port]) + drainTicks[port];
        }
        return false;
    }

    /** The tick at which a slow port consumes its next flit; {@link TimingWheel#NEVER} if it has none. */
    long drainAt(int port) {
        return undrainedCount[port] == 0 ? TimingWheel.NEVER : drainAt[port];
    }

    /** A slow port consumes a flit: returns its lane. */
    int drained(int port) {
        int[] ring = undrained[port];
        int lane = ring[undrainedAt[port]];
        undrainedAt[port] = (undrainedAt[port] + 1) % ring.length;
        undrainedCount[port]--;
        drainAt[port] += drainTicks[port];
        return lane;
    }
}
