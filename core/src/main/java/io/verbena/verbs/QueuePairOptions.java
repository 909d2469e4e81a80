package io.verbena.verbs;

import java.util.Optional;

/**
 * Attributes of a new queue pair (ibv_qp_init_attr). Start from {@link #of} and change what matters, by the
 * {@code with…} methods or, for several attributes at once, by {@link #toBuilder()}. Immutable.
 * {@link ProtectionDomain#createQueuePair} checks the values against the limits of the RNIC ({@link RnicAttributes}).
 *
 * @param service transport service
 * @param sendCq CQ that receives completions of the send queue
 * @param receiveCq CQ that receives completions of receives; may be the same
 * @param sendDepth maximum number of outstanding send requests
 * @param receiveDepth maximum number of outstanding receives; with an SRQ every value is accepted and ignored
 * @param maxGather maximum number of elements in the gather list of a send request
 * @param maxScatter maximum number of elements in the scatter list of a receive; with an SRQ every value is accepted and
 *     ignored
 * @param maxInlineBytes maximum number of inline bytes per request
 * @param sharedReceiveQueue SRQ that supplies the receives; empty if the queue pair has its own receive queue
 * @param datagramDomain reliable datagram domain, which the service RELIABLE_DATAGRAM requires and others do not have
 * @param signalAll whether every send request produces a completion, whatever its flags
 * @param inboundReads maximum number of Reads and atomics that the peer may have outstanding here (IRD)
 * @param outboundReads maximum number of Reads and atomics outstanding to the peer (ORD)
 * @param context object of the application, returned by {@link QueuePair#context()}
 */
public record QueuePairOptions(
        TransportService service,
        CompletionQueue sendCq,
        CompletionQueue receiveCq,
        int sendDepth,
        int receiveDepth,
        int maxGather,
        int maxScatter,
        int maxInlineBytes,
        Optional<SharedReceiveQueue> sharedReceiveQueue,
        Optional<ReliableDatagramDomain> datagramDomain,
        boolean signalAll,
        int inboundReads,
        int outboundReads,
        Object context) {

    /**
     * Reliable connection, both queues 64 deep on one CQ, 4 elements per list, 64 bytes inline, 16 Reads in each
     * direction.
     */
    public static QueuePairOptions of(CompletionQueue cq) {
        return of(cq, cq);
    }

    /** The same with separate CQs for the send and the receive queue. */
    public static QueuePairOptions of(CompletionQueue sendCq, CompletionQueue receiveCq) {
        return new Builder(sendCq, receiveCq).build();
    }

    /** A builder that starts with the values of this object. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    public QueuePairOptions withService(TransportService value) {
        return toBuilder().service(value).build();
    }

    public QueuePairOptions withDepths(int send, int receive) {
        return toBuilder().depths(send, receive).build();
    }

    public QueuePairOptions withElements(int gather, int scatter) {
        return toBuilder().elements(gather, scatter).build();
    }

    public QueuePairOptions withMaxInlineBytes(int value) {
        return toBuilder().maxInlineBytes(value).build();
    }

    public QueuePairOptions withSharedReceiveQueue(SharedReceiveQueue value) {
        return toBuilder().sharedReceiveQueue(value).build();
    }

    /** With the service {@link TransportService#RELIABLE_DATAGRAM} in this domain. */
    public QueuePairOptions withReliableDatagrams(ReliableDatagramDomain domain) {
        return toBuilder().reliableDatagrams(domain).build();
    }

    public QueuePairOptions withSignalAll(boolean value) {
        return toBuilder().signalAll(value).build();
    }

    /** With these maximum numbers of outstanding Reads and atomics: IRD and ORD. */
    public QueuePairOptions withReads(int inbound, int outbound) {
        return toBuilder().reads(inbound, outbound).build();
    }

    public QueuePairOptions withContext(Object value) {
        return toBuilder().context(value).build();
    }

    /** Collects the attributes of a queue pair. Not thread-safe. */
    public static final class Builder {
        private final CompletionQueue sendCq;
        private final CompletionQueue receiveCq;
        private TransportService service = TransportService.RELIABLE_CONNECTION;
        private int sendDepth = 64;
        private int receiveDepth = 64;
        private int maxGather = 4;
        private int maxScatter = 4;
        private int maxInlineBytes = 64;
        private Optional<SharedReceiveQueue> sharedReceiveQueue = Optional.empty();
        private Optional<ReliableDatagramDomain> datagramDomain = Optional.empty();
        private boolean signalAll;
        private int inboundReads = 16;
        private int outboundReads = 16;
        private Object context = "";

        private Builder(CompletionQueue sendCq, CompletionQueue receiveCq) {
            this.sendCq = sendCq;
            this.receiveCq = receiveCq;
        }

        private Builder(QueuePairOptions from) {
            this(from.sendCq, from.receiveCq);
            service = from.service;
            sendDepth = from.sendDepth;
            receiveDepth = from.receiveDepth;
            maxGather = from.maxGather;
            maxScatter = from.maxScatter;
            maxInlineBytes = from.maxInlineBytes;
            sharedReceiveQueue = from.sharedReceiveQueue;
            datagramDomain = from.datagramDomain;
            signalAll = from.signalAll;
            inboundReads = from.inboundReads;
            outboundReads = from.outboundReads;
            context = from.context;
        }

        public Builder service(TransportService value) {
            service = value;
            return this;
        }

        /** Maximum numbers of outstanding send requests and receives. */
        public Builder depths(int send, int receive) {
            sendDepth = send;
            receiveDepth = receive;
            return this;
        }

        /** Maximum numbers of elements in the lists of a send request and of a receive. */
        public Builder elements(int gather, int scatter) {
            maxGather = gather;
            maxScatter = scatter;
            return this;
        }

        public Builder maxInlineBytes(int value) {
            maxInlineBytes = value;
            return this;
        }

        public Builder sharedReceiveQueue(SharedReceiveQueue value) {
            sharedReceiveQueue = Optional.of(value);
            return this;
        }

        /** Service RELIABLE_DATAGRAM in this domain. */
        public Builder reliableDatagrams(ReliableDatagramDomain value) {
            service = TransportService.RELIABLE_DATAGRAM;
            datagramDomain = Optional.of(value);
            return this;
        }

        public Builder signalAll(boolean value) {
            signalAll = value;
            return this;
        }

        /** Maximum numbers of outstanding Reads and atomics: IRD and ORD. */
        public Builder reads(int inbound, int outbound) {
            inboundReads = inbound;
            outboundReads = outbound;
            return this;
        }

        public Builder context(Object value) {
            context = value;
            return this;
        }

        public QueuePairOptions build() {
            return new QueuePairOptions(
                    service,
                    sendCq,
                    receiveCq,
                    sendDepth,
                    receiveDepth,
                    maxGather,
                    maxScatter,
                    maxInlineBytes,
                    sharedReceiveQueue,
                    datagramDomain,
                    signalAll,
                    inboundReads,
                    outboundReads,
                    context);
        }
    }
}
