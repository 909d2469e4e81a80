package io.verbena.messaging.ring;

import io.verbena.messaging.protocol.SlotLayout;
import io.verbena.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The registered buffer from which the elements of one virtual channel are written into the peer's ring. It has the shape of that ring.
 */
final class Staging {

    private final RingEdge edge;
    private @Nullable MemoryRegion region;
    private @Nullable MemoryRegion early; // provisioned before the peer was asked
    private MemorySegment memory = MemorySegment.NULL;
    private int stride;
    private long reservedBytes;

    Staging(RingEdge edge) {
        this.edge = edge;
    }

    long registeredBytes() {
        MemoryRegion currentRegion = region;
        MemoryRegion next = early;
        return (currentRegion == null ? 0 : currentRegion.length()) + (next == null ? 0 : next.length());
    }

    MemorySegment memory() {
        return memory;
    }

    MemoryRegion region() {
        MemoryRegion currentRegion = region;
        assert currentRegion != null : "settled without staging";
        return currentRegion;
    }

    int stride() {
        return stride;
    }

    /** Bytes that would have to be reserved for a buffer of this length. */
    long additionalBytes(long bytes, boolean besideThePresent) {
        return besideThePresent ? bytes : Math.max(0, bytes - reservedBytes);
    }

    /** Takes over bytes that were reserved for the next buffer. */
    void onReserved(long bytes) {
        reservedBytes += bytes;
    }

    /** Provisions the next buffer beside the present one; returns false if there is no memory for it. */
    boolean provisionEarly(long bytes) {
        early = edge.allocate(bytes).orElse(null);
        return early != null;
    }

    void dropEarly() {
        MemoryRegion ready = early;
        early = null;
        close(ready);
    }

    /** What {@link #replace} did. */
    enum Replaced {
        /** The buffer has the shape of the new ring. */
        AS_REQUESTED,
        /** There was no memory for it: the buffer has its former payload size. */
        AS_BEFORE,
        /** The budget does not allow a buffer. */
        NO_BUDGET,
        /** The system has no memory for any buffer. */
        NO_MEMORY
    }

    /**
     * Replaces the buffer, from which no Write is unacknowledged, by one for {@code slots} elements of {@code payload} bytes.
     */
    Replaced replace(int slots, int payload, int formerPayload) {
        long bytes = (long) slots * SlotLayout.strideBytes(payload);
        Replaced replaced = Replaced.AS_REQUESTED;
        stride = SlotLayout.strideBytes(
                payload); // also if the length stays: another number of slots may have the same product
        MemoryRegion old = region;
        MemoryRegion ready = early;
        if (ready != null && ready.length() == bytes) {
            close(old);
            region = ready;
            early = null;
        } else if (old == null || old.length() != bytes) {
            dropEarly();
            if (bytes > reservedBytes && !edge.budget().reserve(bytes - reservedBytes)) {
                return Replaced.NO_BUDGET;
            }
            reservedBytes = Math.max(reservedBytes, bytes);
            region = null;
            close(old); // before the next allocation, which may need its memory
            Optional<MemoryRegion> created = edge.allocate(bytes);
            if (created.isEmpty() && old != null && old.length() > 0) {
                replaced = Replaced.AS_BEFORE;
                stride = SlotLayout.strideBytes(formerPayload);
                created = edge.allocate((long) slots * stride);
            }
            region = created.orElse(null);
        }
        dropEarly();
        MemoryRegion currentRegion = region;
        if (currentRegion == null) {
            return Replaced.NO_MEMORY;
        }
        memory = currentRegion.segment();
        edge.budget().reserve(currentRegion.length() - reservedBytes);
        reservedBytes = currentRegion.length();
        return replaced;
    }

    private static void close(@Nullable MemoryRegion region) {
        if (region != null) {
            region.close();
        }
    }

    void release() {
        dropEarly();
        close(region);
        region = null;
        memory = MemorySegment.NULL;
        edge.budget().reserve(-reservedBytes);
        reservedBytes = 0;
    }
}
