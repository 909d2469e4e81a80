package io.verbena.rnic.ib.port;

import io.verbena.engine.RnicEngine;
import io.verbena.ib.packet.Admission;
import io.verbena.ib.packet.Origin;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.PacketRun;
import java.lang.foreign.MemorySegment;

/** A queue pair as the reception of packets sees it. */
public interface PacketTarget {

    /** The engine that calls the other methods. Any thread. */
    RnicEngine engine();

    /** Whether a packet may be processed; what is not admitted is counted. */
    boolean admits(IbPacket packet, Admission admission);

    /** Processes an admitted packet. */
    void onPacket(IbPacket packet, MemorySegment segment, Origin origin, long nowNs);

    /**
     * Whether packets that continue the one which was processed last may be passed to {@link #onRun}.
     *
     * @param origin of all of them
     * @param psn of the first of them
     */
    boolean takesRun(Origin origin, int psn);

    /**
     * Processes packets after {@link #takesRun}, as far as each is a request that succeeds. Returns their number; the
     * others have had no effect.
     */
    int onRun(PacketRun run);

    /** Handles a bug in a step of the queue pair. */
    void bug(String where, Throwable e);
}
