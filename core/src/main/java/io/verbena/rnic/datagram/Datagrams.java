package io.verbena.rnic.datagram;

import io.verbena.rnic.Transport;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.DatagramPeer;
import java.net.SocketAddress;

/** The part of a {@link Transport} that only transports with datagram services have. Any thread may call it. */
public interface Datagrams {

    /**
     * Creates a destination.
     *
     * @return its number, which work names in {@link io.verbena.queue.Wqe#otherKey}
     * @throws IllegalArgumentException if the attributes name no address that this RNIC reaches
     * @throws IllegalStateException if there is no place for another one
     */
    int addDestination(AddressHandleAttributes attributes);

    /** Releases a destination. Work that names it fails from then on. */
    void releaseDestination(int number);

    /**
     * Creates a reliable datagram domain.
     *
     * @throws UnsupportedOperationException if the transport does not have the service
     */
    default SoftDatagramDomain newDomain() {
        throw new UnsupportedOperationException(
                "The transport has no reliable datagrams; connect queue pairs instead.");
    }

    /** Resolves the address of a service, see {@link io.verbena.verbs.Rnic#lookUp}. */
    DatagramPeer lookUp(SocketAddress service, ConnectionOptions options) throws ConnectionException;
}
