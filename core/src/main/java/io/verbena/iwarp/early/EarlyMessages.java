package io.verbena.iwarp.early;

import io.verbena.wire.AtomicRequest;
import io.verbena.wire.DdpUntagged;
import java.lang.foreign.MemorySegment;

/** Whole small ULPDUs in slots: messages that arrived after a hole and whose payload has no other place to wait. */
public final class EarlyMessages {

    /** The longest ULPDU whose payload is itself a header. */
    static final int MAX_BYTES = DdpUntagged.LENGTH + AtomicRequest.LENGTH;

    private final int slots;
    private MemorySegment bytes = MemorySegment.NULL;
    private int[] length = {};

    public EarlyMessages(int slots) {
        this.slots = slots;
    }

    /** Number of slots. */
    public int slots() {
        return slots;
    }

    /** Allocates the slots; called before the first {@link #put}. */
    public void allocate() {
        if (length.length == 0) {
            bytes = MemorySegment.ofArray(new byte[slots * MAX_BYTES]);
            length = new int[slots];
        }
    }

    boolean isAllocated() {
        return length.length > 0;
    }

    /** A free slot; -1 if there is none. */
    int free() {
        for (int slot = 0; slot < length.length; slot++) {
            if (length[slot] == 0) {
                return slot;
            }
        }
        return -1;
    }

    public boolean isUsed(int slot) {
        return length.length > 0 && length[slot] > 0;
    }

    public void put(int slot, MemorySegment ulpdu, long offset, int ulpduLength) {
        assert ulpduLength > 0 && ulpduLength <= MAX_BYTES;
        MemorySegment.copy(ulpdu, offset, bytes, at(slot), ulpduLength);
        length[slot] = ulpduLength;
    }

    public void remove(int slot) {
        length[slot] = 0;
    }

    /** Memory that contains all slots. */
    public MemorySegment bytes() {
        return bytes;
    }

    /** Offset of a slot in {@link #bytes}. */
    public long at(int slot) {
        return (long) slot * MAX_BYTES;
    }

    /** Length of the ULPDU in a slot. */
    public int length(int slot) {
        return length[slot];
    }
}
