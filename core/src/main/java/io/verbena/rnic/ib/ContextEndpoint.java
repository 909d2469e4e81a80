package io.verbena.rnic.ib;

import io.verbena.engine.Endpoint;
import io.verbena.ib.Origin;
import io.verbena.wire.ib.IbPacket;
import java.lang.foreign.MemorySegment;

/** An end-to-end context as the port of its packets sees it. On the engine of the port. */
abstract class ContextEndpoint extends Endpoint {

    /** Its number, which packets for it contain. */
    abstract int number();

    /** Processes a packet for this context. */
    abstract void onPacket(IbPacket packet, MemorySegment segment, Origin origin, long nowNs);

    /** The port has failed. */
    abstract void fail(String sentence);
}
