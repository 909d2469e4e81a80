package io.verbena.verbs;

import java.net.SocketAddress;
import java.util.Optional;
import java.util.Set;

/**
 * The queue pair context as Query QP shows it (V5, ibv_qp_attr).
 *
 * @param number queue pair number
 * @param state state at the moment of the query
 * @param options as created, with the depths as granted
 * @param protectionDomain where it was created
 * @param remoteRights what the peer may do at all on this queue pair
 * @param sendCqHandler handler identification of the send CQ
 * @param receiveCqHandler handler identification of the receive CQ
 * @param localPort our address, once connected
 * @param remotePort the peer's address, once connected
 * @param remoteNumber the peer's queue pair number; 0 where the transport does not tell it
 * @param inboundReads Reads and atomics the peer may have outstanding, as negotiated
 * @param outboundReads Reads and atomics we may have outstanding, as negotiated
 * @param maxFrameBytes largest payload of a frame (path MTU)
 * @param sendOutstanding send requests not complete
 * @param receiveOutstanding receives not complete
 * @param path InfiniBand: how the peer is reached
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

    /** Keeps its own copy of the rights. */
    public QueuePairAttributes {
        remoteRights = Set.copyOf(remoteRights);
    }

    /** Of a stream transport. */
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
