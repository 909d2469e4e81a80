package io.verbena.verbs;

import java.util.Set;

/**
 * What an RNIC is and what it can do (Query RNIC).
 *
 * @param provider name of its provider
 * @param transport protocol on the wire
 * @param services transport services that queue pairs can have
 * @param operations work it can do; posting another is refused with a sentence
 * @param maxQueuePairs most queue pairs at once
 * @param maxWorkRequests most work requests a queue holds
 * @param maxScatterGather most elements in a gather or scatter list
 * @param maxInlineBytes most bytes of inline data
 * @param maxMessageBytes longest message
 * @param maxRegions most memory regions at once
 * @param maxCompletionQueues most CQs at once
 * @param maxCompletionEntries most entries a CQ can have
 * @param maxSharedReceiveQueues most SRQs at once
 * @param maxInboundReads most Reads and atomics a peer may have outstanding on one queue pair (IRD)
 * @param maxOutboundReads most Reads and atomics a queue pair may have outstanding (ORD)
 * @param maxPrivateDataBytes most private data of a connection request
 * @param completionHandlers most CQ handlers
 * @param completionHandlersInUse CQ handlers that are registered now
 * @param immediateBits bits of immediate data that reach the peer
 * @param device the device and its ports
 */
public record RnicAttributes(
        String provider,
        Transport transport,
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

    /** Keeps its own copies of the sets. */
    public RnicAttributes {
        services = Set.copyOf(services);
        operations = Set.copyOf(operations);
    }
}
