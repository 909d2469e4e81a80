package io.verbena.storage.subsystem;

import java.lang.foreign.MemorySegment;

/**
 * The memory of one queue: of one command until its Connect was accepted, then of all.
 *
 * @param capsules one receive after the other
 * @param capsuleBytes bytes of a receive: 64 and the in-capsule data
 * @param data one buffer after the other, one for each command that is executed at once
 * @param bufferBytes bytes of a buffer
 */
public record QueueMemory(MemorySegment capsules, int capsuleBytes, MemorySegment data, int bufferBytes) {
    /** Number of receives. */
    public int slots() {
        return (int) (capsules.byteSize() / capsuleBytes);
    }

    /** All bytes. */
    public long bytes() {
        return capsules.byteSize() + data.byteSize();
    }

    /** Number of buffers. */
    public int buffers() {
        return (int) (data.byteSize() / bufferBytes);
    }
}
