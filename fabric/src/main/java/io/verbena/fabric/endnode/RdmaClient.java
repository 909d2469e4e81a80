package io.verbena.fabric.endnode;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Reads and Writes memory of a peer whose software performs them: an {@link RdmaServer}. Results arrive in the order of requests. */
final class RdmaClient {

    /** The destination of a Read that has no result yet. */
    private record Read(MemoryRegion into, long offset, int length) {

        static final int NONE = -1;
    }

    private final QueuePair queuePair;
    private final long requestId;
    private final long resultId;
    private final int depth;
    private final int slotBytes;
    private final MemoryRegion headers;
    private final MemoryRegion results;
    private final Read[] reads;
    private final Read write;
    private final WorkRequest work;
    private long posted;
    private long done;

    /**
     * Posts its receives.
     *
     * @param queuePair with receives for {@code depth} results, and twice as many Sends
     * @param requestId identification of its Sends
     * @param resultId identification of its receives
     * @param depth most requests without a result
     * @param mostBytes largest length of a request
     */
    RdmaClient(QueuePair queuePair, long requestId, long resultId, int depth, int mostBytes) {
        this.queuePair = queuePair;
        this.requestId = requestId;
        this.resultId = resultId;
        this.depth = depth;
        slotBytes = RdmaMessage.LENGTH + mostBytes;
        ProtectionDomain domain = queuePair.protectionDomain();
        headers = domain.allocate((long) depth * RdmaMessage.LENGTH, AccessRight.LOCAL_WRITE);
        results = domain.allocate((long) depth * slotBytes, AccessRight.LOCAL_WRITE);
        write = new Read(headers, 0, Read.NONE);
        reads = new Read[depth];
        Arrays.fill(reads, write);
        work = queuePair.newWorkRequest();
        for (int slot = 0; slot < depth; slot++) {
            receive(slot);
        }
    }

    private void receive(int slot) {
        if (!queuePair.postReceive(resultId, results, (long) slot * slotBytes, slotBytes)) {
            throw new IllegalStateException("the receive queue of " + queuePair + " has no slot for a result");
        }
    }

    /** Writes to the peer's memory. Returns false if too many requests have no result. */
    boolean write(MemoryRegion from, long offset, int length, long remoteOffset) {
        if (!header(RdmaMessage.WRITE, length, remoteOffset)) {
            return false;
        }
        if (length > 0) {
            work.gather(from, offset, length);
        }
        return post(write);
    }

    /** Reads the peer's memory. Returns false if too many requests have no result. */
    boolean read(MemoryRegion into, long offset, int length, long remoteOffset) {
        return header(RdmaMessage.READ, length, remoteOffset) && post(new Read(into, offset, length));
    }

    private boolean header(int kind, int length, long remoteOffset) {
        if (length < 0 || length > slotBytes - RdmaMessage.LENGTH) {
            throw new IllegalArgumentException(
                    "a request has 0 to " + (slotBytes - RdmaMessage.LENGTH) + " bytes, not " + length);
        }
        if (posted - done == depth) {
            return false;
        }
        long at = posted % depth * RdmaMessage.LENGTH;
        RdmaMessage.write(headers.segment().asSlice(at, RdmaMessage.LENGTH), kind, length, remoteOffset);
        work.send().flags(WrFlags.SIGNALLED).id(requestId).gather(headers, at, RdmaMessage.LENGTH);
        return true;
    }

    private boolean post(Read what) {
        if (!queuePair.post(work)) {
            return false;
        }
        reads[(int) (posted++ % depth)] = what;
        return true;
    }

    /** A result has arrived in the oldest receive. Returns whether the oldest request was performed. */
    boolean onResult(long bytes) {
        int slot = (int) (done % depth);
        if (done == posted) {
            receive(slot);
            return false;
        }
        MemorySegment result = results.segment().asSlice((long) slot * slotBytes, slotBytes);
        Read read = reads[slot];
        int wanted = Math.max(0, read.length());
        boolean performed = bytes == RdmaMessage.LENGTH + wanted && RdmaMessage.kind(result) == RdmaMessage.DONE;
        if (performed && wanted > 0) {
            MemorySegment.copy(result, RdmaMessage.LENGTH, read.into().segment(), read.offset(), wanted);
        }
        done++;
        receive(slot);
        return performed;
    }
}
