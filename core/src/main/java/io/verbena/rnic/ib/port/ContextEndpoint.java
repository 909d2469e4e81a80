package io.verbena.rnic.ib.port;

import io.verbena.engine.Endpoint;
import io.verbena.ib.packet.Origin;
import io.verbena.wire.ib.IbPacket;
import java.lang.foreign.MemorySegment;

/** An end-to-end context as the port of its packets sees it. On the engine of the port. */
public abstract class ContextEndpoint extends Endpoint {

    /** Its number, which packets for it contain. */
    public abstract int number();

    /** Processes a packet for this context. */
    public abstract void onPacket(IbPacket packet, MemorySegment segment, Origin origin, long nowNs);

    /** The port has failed. */
    public abstract void fail(String sentence);
}
