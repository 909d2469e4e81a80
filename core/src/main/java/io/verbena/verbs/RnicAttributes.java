package io.verbena.verbs;

import java.util.Set;

/**
 * Attributes and limits of an RNIC (Query RNIC, ibv_device_attr).
 *
 * @param provider name of the provider
 * @param transport protocol on the wire
 * @param services transport services of queue pairs
 * @param operations supported operations; posting another one throws {@link UnsupportedOperationException}
 * @param maxQueuePairs maximum number of queue pairs
 * @param maxWorkRequests maximum number of work requests in a queue
 * @param maxScatterGather maximum number of elements in a gather or scatter list
 * @param maxInlineBytes maximum number of inline bytes
 * @param maxMessageBytes maximum length of a message
 * @param maxRegions maximum number of memory regions
 * @param maxCompletionQueues maximum number of CQs
 * @param maxCompletionEntries maximum number of entries in a CQ
 * @param maxSharedReceiveQueues maximum number of SRQs
 * @param maxInboundReads maximum number of Reads and atomics that a peer may have outstanding on a queue pair (IRD)
 * @param maxOutboundReads maximum number of Reads and atomics that a queue pair may have outstanding (ORD)
 * @param maxPrivateDataBytes maximum length of the private data of a connection request
 * @param completionHandlers maximum number of CQ handlers
 * @param completionHandlersInUse number of registered CQ handlers
 * @param immediateBits number of bits of immediate data that are transferred
 * @param device the device and its ports
 */
public record RnicAttributes(
        String provider,
        TransportType transport,
        Set<TransportService> services,
        Set<WorkOpcode> operations,
        int maxQueuePairs,
        int maxWorkRequests,
        int maxScatterGather,
        int maxInlineBytes,
        long maxMessageBytes,
        int maxRegions,
        int maxCompletionQueues,
        int maxCompletionEntries,
        int maxSharedReceiveQueues,
        int maxInboundReads,
        int maxOutboundReads,
        int maxPrivateDataBytes,
        int completionHandlers,
        int completionHandlersInUse,
        int immediateBits,
        DeviceAttributes device) {

    /** Copies the sets. */
    public RnicAttributes {
        services = Set.copyOf(services);
        operations = Set.copyOf(operations);
    }
}
