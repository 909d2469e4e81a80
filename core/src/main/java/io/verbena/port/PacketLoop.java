package io.verbena.port;

import java.io.IOException;
import java.net.InetSocketAddress;

/** Opens the packet ports of one engine and reports their events. Used by the thread that owns the engine. */
public interface PacketLoop {

    /**
     * Opens a port.
     *
     * @param local address and port; port 0 leaves the choice to the system
     * @throws IOException if the address cannot be used; the message says what to do
     */
    PacketPort open(InetSocketAddress local, PacketEvents events) throws IOException;
}
