package io.verbena.fabric.endnode;

import io.verbena.fabric.link.LinkTiming;
import io.verbena.fabric.link.TimingWheel;
import io.verbena.sim.PacketCarrier;

/** Conversion between the ticks of a fabric and the nanoseconds of a World. */
final class FabricTime {

    private static final long PICOSECONDS = 1_000;
    private static final long TICK = LinkTiming.PICOSECONDS_PER_TICK;

    private FabricTime() {}

    /** The first nanosecond at which a tick is over or present. */
    static long ns(long tick) {
        return tick == TimingWheel.NEVER ? PacketCarrier.NEVER : Math.ceilDiv(tick * TICK, PICOSECONDS);
    }

    /** The last tick up to a nanosecond. */
    static long tick(long ns) {
        return ns * PICOSECONDS / TICK;
    }
}
