package io.verbena.verbs;

import java.util.Optional;

/**
 * How a queue pair is made (ibv_qp_init_attr).
 *
 * @param service transport service
 * @param sendCq where send work completes
 * @param receiveCq where receives complete; may be the same
 * @param sendDepth most send requests outstanding
 * @param receiveDepth most receives outstanding; not used with an SRQ
 * @param maxGather most elements in a send list
 * @param maxScatter most elements in a receive list
 * @param maxInlineBytes most inline bytes
 * @param sharedReceiveQueue where receives are taken from, instead of a queue of its own
 * @param signalAll every send request completes visibly, whatever its flags
 * @param inboundReads most Reads and atomics that the peer may have outstanding here (IRD)
 * @param outboundReads most Reads and atomics outstanding to the peer (ORD)
 * @param context your own object
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
        boolean signalAll,
        int inboundReads,
        int outboundReads,
        Object context) {

    /** Reliable connection, both queues 64 deep on one CQ, 4 elements a list, 64 bytes inline, 16 Reads each way. */
    public static QueuePairOptions of(CompletionQueue cq) {
        return of(cq, cq);
    }

    /** The same with two CQs. */
    public static QueuePairOptions of(CompletionQueue sendCq, CompletionQueue receiveCq) {
        return new QueuePairOptions(
                TransportService.RELIABLE_CONNECTION,
                sendCq,
                receiveCq,
                64,
                64,
                4,
                4,
                64,
                Optional.empty(),
                false,
                16,
                16,
                "");
    }

    public QueuePairOptions withService(TransportService value) {
        return copy(
                value,
                sendDepth,
                receiveDepth,
                maxGather,
                maxScatter,
                maxInlineBytes,
                sharedReceiveQueue,
                signalAll,
                inboundReads,
                outboundReads,
                context);
    }

    public QueuePairOptions withDepths(int send, int receive) {
        return copy(
                service,
                send,
                receive,
                maxGather,
                maxScatter,
                maxInlineBytes,
                sharedReceiveQueue,
                signalAll,
                inboundReads,
                outboundReads,
                context);
    }

    public QueuePairOptions withElements(int gather, int scatter) {
        return copy(
                service,
                sendDepth,
                receiveDepth,
                gather,
                scatter,
                maxInlineBytes,
                sharedReceiveQueue,
                signalAll,
                inboundReads,
                outboundReads,
                context);
    }

    public QueuePairOptions withMaxInlineBytes(int value) {
        return copy(
                service,
                sendDepth,
                receiveDepth,
                maxGather,
                maxScatter,
                value,
                sharedReceiveQueue,
                signalAll,
                inboundReads,
                outboundReads,
                context);
    }

    public QueuePairOptions withSharedReceiveQueue(SharedReceiveQueue value) {
        return copy(
                service,
                sendDepth,
                receiveDepth,
                maxGather,
                maxScatter,
                maxInlineBytes,
                Optional.of(value),
                signalAll,
                inboundReads,
                outboundReads,
                context);
    }

    public QueuePairOptions withSignalAll(boolean value) {
        return copy(
                service,
                sendDepth,
                receiveDepth,
                maxGather,
                maxScatter,
                maxInlineBytes,
                sharedReceiveQueue,
                value,
                inboundReads,
                outboundReads,
                context);
    }

    /** IRD and ORD. */
    public QueuePairOptions withReads(int inbound, int outbound) {
        return copy(
                service,
                sendDepth,
                receiveDepth,
                maxGather,
                maxScatter,
                maxInlineBytes,
                sharedReceiveQueue,
                signalAll,
                inbound,
                outbound,
                context);
    }

    public QueuePairOptions withContext(Object value) {
        return copy(
                service,
                sendDepth,
                receiveDepth,
                maxGather,
                maxScatter,
                maxInlineBytes,
                sharedReceiveQueue,
                signalAll,
                inboundReads,
                outboundReads,
                value);
    }

    @SuppressWarnings("TooManyParameters")
    private QueuePairOptions copy(
            TransportService newService,
            int send,
            int receive,
            int gather,
            int scatter,
            int inlineBytes,
            Optional<SharedReceiveQueue> srq,
            boolean signal,
            int inbound,
            int outbound,
            Object newContext) {
        return new QueuePairOptions(
                newService,
                sendCq,
                receiveCq,
                send,
                receive,
                gather,
                scatter,
                inlineBytes,
                srq,
                signal,
                inbound,
                outbound,
                newContext);
    }
}
