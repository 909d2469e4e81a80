package io.verbena.fabric.endnode;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.MemorySegment;

/**
 * Software of a host whose adapter performs no incoming RDMA: requests arrive as messages, and it reads or writes the memory that it
 * serves. Each message costs a receive, a copy and a result, which an adapter with incoming RDMA does not need.
 */
final class RdmaServer {

    private final QueuePair queuePair;
    private final MemorySegment served;
    private final long requestId;
    private final long resultId;
    private final int slotBytes;
    private final int depth;
    private final MemoryRegion requests;
    private final MemoryRegion results;
    private int next;

    /**
     * Posts its receives.
     *
     * @param queuePair with receives for {@code depth} requests, and twice as many Sends
     * @param served the memory that the peer may read and write
     * @param requestId identification of its receives
     * @param depth most requests of the peer that have no result yet
     * @param mostBytes largest length of a request
     */
    RdmaServer(QueuePair queuePair, MemorySegment served, long requestId, long resultId, int depth, int mostBytes) {
        this.queuePair = queuePair;
        this.served = served;
        this.requestId = requestId;
        this.resultId = resultId;
        this.depth = depth;
        slotBytes = RdmaMessage.LENGTH + mostBytes;
        ProtectionDomain domain = queuePair.protectionDomain();
        requests = domain.allocate((long) depth * slotBytes, AccessRight.LOCAL_WRITE);
        results = domain.allocate((long) depth * slotBytes, AccessRight.LOCAL_WRITE);
        for (int slot = 0; slot < depth; slot++) {
            receive(slot);
        }
    }

    private void receive(int slot) {
        if (!queuePair.postReceive(requestId, requests, (long) slot * slotBytes, slotBytes)) {
            throw new IllegalStateException("the receive queue of " + queuePair + " has no slot for a request");
        }
    }

    /** A request has arrived in the oldest receive. Returns whether it was performed. */
    boolean onRequest(long bytes) {
        int slot = next;
        next = (next + 1) % depth;
        MemorySegment request = requests.segment().asSlice((long) slot * slotBytes, slotBytes);
        MemorySegment result = results.segment().asSlice((long) slot * slotBytes, slotBytes);
        boolean performed = bytes >= RdmaMessage.LENGTH && perform(request, bytes - RdmaMessage.LENGTH, result);
        int length = performed && RdmaMessage.kind(request) == RdmaMessage.READ ? RdmaMessage.length(request) : 0;
        RdmaMessage.write(result, performed ? RdmaMessage.DONE : RdmaMessage.REFUSED, length, 0);
        receive(slot);
        queuePair.postSend(resultId, results, (long) slot * slotBytes, RdmaMessage.LENGTH + length, WrFlags.SIGNALLED);
        return performed;
    }

    private boolean perform(MemorySegment request, long dataBytes, MemorySegment result) {
        int length = RdmaMessage.length(request);
        long offset = RdmaMessage.offset(request);
        if (length < 0
                || length > slotBytes - RdmaMessage.LENGTH
                || offset < 0
                || offset > served.byteSize() - length) {
            return false;
        }
        if (RdmaMessage.kind(request) == RdmaMessage.READ) {
            MemorySegment.copy(served, offset, result, RdmaMessage.LENGTH, length);
            return true;
        }
        if (RdmaMessage.kind(request) == RdmaMessage.WRITE && dataBytes == length) {
            MemorySegment.copy(request, RdmaMessage.LENGTH, served, offset, length);
            return true;
        }
        return false;
    }
}
