package io.verbena.verbs;

import java.net.SocketAddress;
import java.util.Optional;
import java.util.Set;

/**
 * Attributes of a queue pair, as returned by {@link QueuePair#query} (ibv_qp_attr).
 *
 * @param number queue pair number
 * @param state state at the time of the query
 * @param options options given at creation, with the depths as granted
 * @param protectionDomain protection domain of the queue pair
 * @param remoteRights access rights of the peer on this queue pair
 * @param sendCqHandler identification of the handler of the send CQ
 * @param receiveCqHandler identification of the handler of the receive CQ
 * @param localPort local address; empty until connected
 * @param remotePort address of the peer; empty until connected
 * @param remoteNumber queue pair number of the peer; 0 if the transport does not transfer it
 * @param inboundReads negotiated maximum number of outstanding Reads and atomics of the peer
 * @param outboundReads negotiated maximum number of outstanding Reads and atomics of this side
 * @param maxFrameBytes maximum payload of a frame (path MTU)
 * @param sendOutstanding number of incomplete send requests
 * @param receiveOutstanding number of incomplete receives
 * @param path InfiniBand: path to the peer
 */
public record QueuePairAttributes(
        int number,
        QueuePairState state,
        QueuePairOptions options,
        ProtectionDomain protectionDomain,
        Set<AccessRight> remoteRights,
        Optional<CqHandlerId> sendCqHandler,
        Optional<CqHandlerId> receiveCqHandler,
        Optional<SocketAddress> localPort,
        Optional<SocketAddress> remotePort,
        int remoteNumber,
        int inboundReads,
        int outboundReads,
        int maxFrameBytes,
        int sendOutstanding,
        int receiveOutstanding,
        Optional<PathAttributes> path) {

    /** Copies the rights. */
    public QueuePairAttributes {
        remoteRights = Set.copyOf(remoteRights);
    }

    /** Attributes of a queue pair of a stream transport. */
    public QueuePairAttributes(
            int number,
            QueuePairState state,
            QueuePairOptions options,
            ProtectionDomain protectionDomain,
            Set<AccessRight> remoteRights,
            Optional<CqHandlerId> sendCqHandler,
            Optional<CqHandlerId> receiveCqHandler,
            Optional<SocketAddress> localPort,
            Optional<SocketAddress> remotePort,
            int remoteNumber,
            int inboundReads,
            int outboundReads,
            int maxFrameBytes,
            int sendOutstanding,
            int receiveOutstanding) {
        this(
                number,
                state,
                options,
                protectionDomain,
                remoteRights,
                sendCqHandler,
                receiveCqHandler,
                localPort,
                remotePort,
                remoteNumber,
                inboundReads,
                outboundReads,
                maxFrameBytes,
                sendOutstanding,
                receiveOutstanding,
                Optional.empty());
    }
}
