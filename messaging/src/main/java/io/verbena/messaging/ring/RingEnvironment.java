package io.verbena.messaging.ring;

import io.verbena.messaging.protocol.Acknowledgement;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/** What the rings of all channels of an endpoint share: memory, clock, randomness, and the view of the current slot. */
public final class RingEnvironment {

    private final MemoryBudget budget;
    private final LongSupplier clock;
    private final RandomGenerator random;
    private final SlotView slot = new SlotView();
    private final PostingBatch batch = new PostingBatch();
    private final MemorySegment scratch = Arena.ofAuto().allocate(ControlBlock.BYTES, 64);
    private int maxPayloadBytes;
    private int awaited;
    private BufferSource buffers = BufferSource.verbs();
    private AcknowledgementPath acknowledgements = AcknowledgementPath.oneWrite(scratch);

    public RingEnvironment(MemoryBudget budget, int maxPayloadBytes, LongSupplier clock, RandomGenerator random) {
        this.budget = budget;
        this.maxPayloadBytes = maxPayloadBytes;
        this.clock = clock;
        this.random = random;
    }

    /** Replaces the source of buffers and the path of acknowledgements; for tests. */
    public void replace(BufferSource newBuffers, AcknowledgementPath newAcknowledgements) {
        buffers = newBuffers;
        acknowledgements = newAcknowledgements;
    }

    /** Payload of the largest buffers that a peer is granted. */
    int maxPayloadBytes() {
        return maxPayloadBytes;
    }

    public void maxPayloadBytes(int value) {
        maxPayloadBytes = value;
    }

    public MemoryBudget budget() {
        return budget;
    }

    /** The element that is being delivered. */
    public SlotView slot() {
        return slot;
    }

    public PostingBatch batch() {
        return batch;
    }

    /** A request was posted whose completion is awaited. */
    void onPosted() {
        awaited++;
    }

    /** Such a request has completed. */
    public void onCompleted() {
        awaited = Math.max(0, awaited - 1);
    }

    /** Channels have been released, and what they have posted completes no more. */
    public void onReleased() {
        awaited = 0;
    }

    /** Returns whether a completion is awaited; a hint, since a release of a channel forgets the requests of all. */
    public boolean awaitsCompletions() {
        return awaited > 0;
    }

    public long nowNs() {
        return clock.getAsLong();
    }

    long newNonce() {
        return random.nextLong();
    }

    /** Memory for inline data. */
    MemorySegment scratch() {
        return scratch;
    }

    Optional<MemoryRegion> allocate(ProtectionDomain domain, long bytes, AccessRight... rights) {
        return buffers.allocate(domain, bytes, rights);
    }

    boolean acknowledge(RingPoster poster, int virtualChannel, Acknowledgement acknowledgement) {
        return acknowledgements.post(poster, virtualChannel, acknowledgement);
    }
}
