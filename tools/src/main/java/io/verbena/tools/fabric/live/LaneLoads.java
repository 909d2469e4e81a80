package io.verbena.tools.fabric.live;

import io.verbena.fabric.link.FlitType;
import io.verbena.fabric.node.Fabric;
import io.verbena.fabric.node.Wiring;

/**
 * The load of each lane of each port during the latest one to two windows of virtual time. Windows begin at multiples of their length, so
 * that the load at a time depends on what happened in the fabric, and not on who looked at it when.
 */
final class LaneLoads {

    private static final int PERCENT = 100;

    private final Fabric fabric;
    private final long windowNs;
    private final int lanes;
    /** Flits that each lane of each port has begun to transmit. */
    private final long[] flits;

    private long[] older;
    private long olderTick;
    private long[] newer;
    private long newerTick;

    /** Begins to count. */
    LaneLoads(Fabric fabric, long windowNs) {
        this.fabric = fabric;
        this.windowNs = windowNs;
        lanes = fabric.lanes();
        flits = new long[fabric.wiring().ports() * lanes];
        older = flits.clone();
        newer = older;
        olderTick = fabric.now();
        newerTick = olderTick;
        fabric.observe((port, _, _, flit) -> {
            if (flit.type() == FlitType.DATA) {
                flits[port * lanes + flit.data().lane()]++;
            }
        });
    }

    /** The time after {@code passedNs} at which {@link #mark} must be called. */
    long nextMark(long passedNs) {
        return (passedNs / windowNs + 1) * windowNs;
    }

    /** A window ends. */
    void mark() {
        older = newer;
        olderTick = newerTick;
        newer = flits.clone();
        newerTick = fabric.now();
    }

    /** The load of a lane of a port in percent of what its link can carry. */
    byte percent(int port, int lane) {
        Wiring wiring = fabric.wiring();
        long ticks = fabric.now() - olderTick;
        long busy = (flits[port * lanes + lane] - older[port * lanes + lane])
                * wiring.timing(port).flitTicks();
        return (byte) (ticks <= 0 ? 0 : Math.min(PERCENT, Math.ceilDiv(busy * PERCENT, ticks)));
    }
}
