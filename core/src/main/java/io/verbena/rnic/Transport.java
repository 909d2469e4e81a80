package io.verbena.rnic;

import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.WorkOpcode;
import java.io.IOException;
import java.net.SocketAddress;

/**
 * A transport of the software RNIC, the boundary between the objects behind the verbs and a protocol. It states what the
 * transport can do, it connects and listens, and it makes the {@link QueuePairEndpoint} of each queue pair. Nothing outside of
 * a transport's own package names the transport or its states.
 */
public interface Transport extends WorkRules {

    /** Its name, services and limits. */
    TransportLimits limits();

    @Override
    default void checkWork(WorkOpcode opcode, long lengthBytes, int elements) {
        if (!limits().operations().contains(opcode)) {
            throw new UnsupportedOperationException(
                    "The transport " + limits().provider() + " has no operation " + opcode + ".");
        }
    }

    /**
     * Refuses queue pair options that the transport does not support; ranges and services have been checked.
     *
     * @throws IllegalArgumentException with the option and its value
     */
    default void checkOptions(QueuePairOptions options) {}

    /** The protocol of a queue pair that is being created; its queues have been made. */
    QueuePairEndpoint newEndpoint(SoftQueuePair queuePair);

    /**
     * Begins to connect a queue pair of this transport. What fails later is reported by the connection.
     *
     * @throws IllegalStateException when the queue pair is not free
     */
    SoftConnection connect(SoftQueuePair queuePair, SocketAddress remote, ConnectionOptions options);

    /**
     * Begins to listen.
     *
     * @throws IOException when the address cannot be listened at
     */
    SoftListener listen(RnicContext context, SocketAddress address, ListenOptions options) throws IOException;
}
