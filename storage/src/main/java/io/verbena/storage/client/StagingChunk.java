package io.verbena.storage.client;

import io.verbena.storage.host.BlockRequest;
import io.verbena.storage.host.RequestOwner;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** A part of the memory through which transfers are copied, and the request that uses it. */
final class StagingChunk implements RequestOwner {
    private final Staging staging;
    private final MemorySegment segment;
    private final BlockRequest request = new BlockRequest(this);
    private Optional<Transfer> transfer = Optional.empty();
    private long at;
    private long lengthBytes;

    StagingChunk(Staging staging, DiskMemory memory, long offset, long bytes) {
        this.staging = staging;
        this.segment = memory.segment().asSlice(offset, bytes);
        request.data(memory.number(), offset);
    }

    long bytes() {
        return segment.byteSize();
    }

    MemorySegment segment() {
        return segment;
    }

    BlockRequest request() {
        return request;
    }

    long at() {
        return at;
    }

    long lengthBytes() {
        return lengthBytes;
    }

    void set(Transfer of, long from, long bytes) {
        transfer = Optional.of(of);
        at = from;
        lengthBytes = bytes;
    }

    @Override
    public void ended(BlockRequest ended) {
        Transfer of = transfer.orElseThrow();
        transfer = Optional.empty();
        staging.ended(of, this);
    }
}
