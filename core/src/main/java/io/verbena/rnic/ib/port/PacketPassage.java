package io.verbena.rnic.ib.port;

import io.verbena.port.PacketBatch;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Packets on their way from the engine that owns the port to another engine: a ring of batches with one producer and one consumer. It holds as
 * many bytes as the receive buffer of a port. What does not fit is dropped, as a full receive buffer drops it.
 */
public final class PacketPassage {

    private static final int BATCHES = 64;
    private static final int BATCH_BYTES = 64 << 10;
    private static final int BATCH_PACKETS = 128;

    private final @Nullable Batch[] batches = new Batch[BATCHES];
    private final AtomicLong published = new AtomicLong();
    private final AtomicLong released = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();

    /** Whether the batch after the published ones has packets. Used by the producer. */
    private boolean open;

    /** Packets, and the numbers of the queue pairs that they are for. */
    static final class Batch {
        final PacketBatch packets = new PacketBatch(BATCH_BYTES, BATCH_PACKETS);
        private final int[] targets = new int[BATCH_PACKETS];

        int target(int packet) {
            return targets[packet];
        }
    }

    // The producer.

    /** Copies a packet for a queue pair of the other engine; drops it if the ring is full. */
    void add(PacketBatch from, int packet, int target) {
        int length = from.length(packet);
        Batch batch = current();
        if (batch != null && !batch.packets.fits(length)) {
            publish();
            batch = current();
        }
        if (batch == null || !batch.packets.fits(length)) {
            dropped.lazySet(dropped.get() + 1);
            return;
        }
        PacketBatch to = batch.packets;
        MemorySegment.copy(from.slab().segment(), from.offset(packet), to.slab().segment(), to.used(), length);
        to.sentTo(from.groupHigh(packet), from.groupLow(packet));
        batch.targets[to.packets()] = target;
        to.add(
                length,
                from.sourceHigh(packet),
                from.sourceLow(packet),
                from.sourcePort(packet),
                from.trafficClass(packet),
                from.indexInGroup(packet));
        open = true;
    }

    /** The batch that is being filled; null if the consumer has released none. */
    private @Nullable Batch current() {
        long next = published.get();
        if (next - released.get() == BATCHES) {
            return null;
        }
        int slot = (int) (next % BATCHES);
        Batch batch = batches[slot];
        if (batch == null) {
            batch = new Batch();
            batches[slot] = batch;
        }
        if (!open) {
            batch.packets.reset();
        }
        return batch;
    }

    /** Makes the copied packets visible to the consumer; returns false if there are none. */
    boolean publish() {
        if (!open) {
            return false;
        }
        open = false;
        published.setRelease(published.get() + 1);
        return true;
    }

    // The consumer.

    /** The oldest batch; null if there is none. */
    @Nullable
    Batch next() {
        long first = released.get();
        return first == published.getAcquire() ? null : batches[(int) (first % BATCHES)];
    }

    /** The oldest batch has been processed. */
    void release() {
        released.setRelease(released.get() + 1);
    }

    /** Number of packets that did not fit. Any thread. */
    long dropped() {
        return dropped.get();
    }
}
