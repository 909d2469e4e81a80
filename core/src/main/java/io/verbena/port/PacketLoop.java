package io.verbena.port;

import java.io.IOException;
import java.net.InetSocketAddress;

/** One engine's way to packets: opens ports and reports their events. Used by the thread that owns the engine. */
public interface PacketLoop {

    /**
     * Opens a port.
     *
     * @param local address and port; port 0 for any
     * @throws IOException when the address cannot be used, with a sentence that says what to do
     */
    PacketPort open(InetSocketAddress local, PacketEvents events) throws IOException;
}
