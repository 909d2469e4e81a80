package io.verbena.rnic;

import io.verbena.rnic.context.RnicContext;
import io.verbena.rnic.context.TransportLimits;
import io.verbena.rnic.context.WorkRules;
import io.verbena.rnic.datagram.Datagrams;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.WorkOpcode;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.Optional;

/**
 * A transport of the software RNIC: the boundary between the objects behind the verbs and a protocol. A transport
 * states its services and limits, connects and listens, and creates the {@link QueuePairEndpoint} of each queue pair.
 * No code outside the package of a transport names the transport or its states.
 */
public interface Transport extends WorkRules {

    /** Name, services and limits. */
    TransportLimits limits();

    @Override
    default void checkWork(WorkOpcode opcode, long lengthBytes, int elements) {
        if (!limits().operations().contains(opcode)) {
            throw new UnsupportedOperationException(
                    "The transport " + limits().provider() + " has no operation " + opcode + ".");
        }
    }

    /**
     * Opens what all connections of an RNIC share, such as a packet port. Called once for each RNIC, before its engines
     * are driven. What joins an engine here is ended when the RNIC is closed.
     *
     * @throws IOException with a sentence, if that is not available
     */
    default void open(RnicContext context) throws IOException {}

    /**
     * Rejects queue pair options that the transport does not support. Ranges and services have been checked.
     *
     * @throws IllegalArgumentException with the option and its value
     */
    default void checkOptions(QueuePairOptions options) {}

    /** Creates the endpoint of a new queue pair. Its queues exist already. */
    QueuePairEndpoint newEndpoint(SoftQueuePair queuePair);

    /** What the transport has for datagram services; empty if it has none. */
    default Optional<Datagrams> datagrams() {
        return Optional.empty();
    }

    /**
     * Begins to connect a queue pair of this transport. Later failures are reported by the connection.
     *
     * @throws IllegalStateException if the queue pair is in use
     */
    SoftConnection connect(SoftQueuePair queuePair, SocketAddress remote, ConnectionOptions options);

    /**
     * Begins to listen.
     *
     * @throws IOException if the address is not available
     */
    SoftListener listen(RnicContext context, SocketAddress address, ListenOptions options) throws IOException;

    /**
     * Whether all peers have confirmed the ends of their connections, or need not. An RNIC that closes waits for this, for at most a second: a message
     * that is lost after that is not repeated, and the peer keeps its connection. {@link RnicContext#changed} reports a change. Any thread.
     */
    default boolean peersNotified() {
        return true;
    }

    /**
     * Whether no peer may repeat a message about the end of its connection because the answer was lost. An RNIC that closes waits for this for
     * a tenth of a second; {@link RnicContext#changed} reports a change. Any thread.
     */
    default boolean answersArrived() {
        return true;
    }
}
