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

    /**
     * Begins the attributes of a queue pair with these values, which every transport has. For providers.
     *
     * @param options with the depths as granted
     */
    public static Builder builder(
            int number, QueuePairState state, QueuePairOptions options, ProtectionDomain protectionDomain) {
        return new Builder(number, state, options, protectionDomain);
    }

    /** Builds attributes; what is not set is empty or 0. */
    public static final class Builder {
        private final int number;
        private final QueuePairState state;
        private final QueuePairOptions options;
        private final ProtectionDomain protectionDomain;
        private Set<AccessRight> remoteRights = Set.of();
        private Optional<SocketAddress> localPort = Optional.empty();
        private Optional<SocketAddress> remotePort = Optional.empty();
        private int remoteNumber;
        private int inboundReads;
        private int outboundReads;
        private int maxFrameBytes;
        private int sendOutstanding;
        private int receiveOutstanding;
        private Optional<PathAttributes> path = Optional.empty();

        private Builder(int number, QueuePairState state, QueuePairOptions options, ProtectionDomain protectionDomain) {
            this.number = number;
            this.state = state;
            this.options = options;
            this.protectionDomain = protectionDomain;
        }

        public Builder remoteRights(Set<AccessRight> value) {
            remoteRights = value;
            return this;
        }

        /** Addresses of the connection. */
        public Builder ports(Optional<SocketAddress> local, Optional<SocketAddress> remote) {
            localPort = local;
            remotePort = remote;
            return this;
        }

        public Builder remoteNumber(int value) {
            remoteNumber = value;
            return this;
        }

        /** Read depths of both directions. */
        public Builder reads(int inbound, int outbound) {
            inboundReads = inbound;
            outboundReads = outbound;
            return this;
        }

        public Builder maxFrameBytes(int value) {
            maxFrameBytes = value;
            return this;
        }

        /** Numbers of incomplete requests. */
        public Builder outstanding(int sends, int receives) {
            sendOutstanding = sends;
            receiveOutstanding = receives;
            return this;
        }

        public Builder path(Optional<PathAttributes> value) {
            path = value;
            return this;
        }

        /** The attributes; the handlers are those of the queue pair's CQs. */
        public QueuePairAttributes build() {
            return new QueuePairAttributes(
                    number,
                    state,
                    options,
                    protectionDomain,
                    remoteRights,
                    options.sendCq().handler(),
                    options.receiveCq().handler(),
                    localPort,
                    remotePort,
                    remoteNumber,
                    inboundReads,
                    outboundReads,
                    maxFrameBytes,
                    sendOutstanding,
                    receiveOutstanding,
                    path);
        }
    }
}
