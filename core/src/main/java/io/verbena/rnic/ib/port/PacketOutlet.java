package io.verbena.rnic.ib.port;

import io.verbena.ib.packet.PacketBuilder;
import java.util.function.Predicate;

/** Sends packets through the port of an engine. */
public interface PacketOutlet {

    /** Whether packets of an earlier turn have not left yet, so that no more can be built. */
    boolean blocked();

    /** As {@link #blocked}; if so, the endpoint is served as soon as the packets have left. */
    boolean defers(PortWait endpoint);

    /** Builds one packet and sends it; returns false if the packet could not be built. */
    boolean send(Predicate<PacketBuilder> packet);
}
