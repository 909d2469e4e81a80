package io.verbena.rnic;

import io.verbena.rnic.context.RnicContext;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Optional;

/**
 * Carries the messages of connections in packets, while the stream by which each of them was set up waits. For a
 * transport whose connections survive the end of what carries them.
 */
public interface PacketCarrier {

    /**
     * Opens what all connections of an RNIC share. Called once, before its engines are driven.
     *
     * @throws IOException with a sentence, if that is not available
     */
    void open(RnicContext context) throws IOException;

    /**
     * Prepares this side of a connection; the engine of its queue pair calls this and every method of the result.
     *
     * @param local the address of this side of the stream
     * @return empty if packets cannot carry a connection now
     */
    Optional<PacketCarriage> prepare(QueuePairEndpoint endpoint, SocketAddress local);
}
