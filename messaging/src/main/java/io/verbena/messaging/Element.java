package io.verbena.messaging;

import io.verbena.messaging.protocol.SlotLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** An element in its slot, while a listener looks at it. One object for all elements of an endpoint. */
public final class Element {

    private MemorySegment ring = MemorySegment.NULL;
    private long slot;
    private int length;
    private int virtualChannel;

    Element() {}

    Element at(MemorySegment newRing, long newSlot, int newLength, int newVirtualChannel) {
        ring = newRing;
        slot = newSlot;
        length = newLength;
        virtualChannel = newVirtualChannel;
        return this;
    }

    /** Length of the payload in bytes. */
    public int length() {
        return length;
    }

    public int virtualChannel() {
        return virtualChannel;
    }

    /** The sender's own word about it, 0 to 127. */
    public int kind() {
        return SlotLayout.kind(ring, slot);
    }

    public int tag() {
        return SlotLayout.tag(ring, slot);
    }

    public int context() {
        return SlotLayout.context(ring, slot);
    }

    /** Eight bytes of the sender's. */
    public long word() {
        return SlotLayout.word(ring, slot);
    }

    long longAt(ValueLayout.OfLong layout, long offset) {
        return ring.get(layout, slot + SlotLayout.HEADER_BYTES + offset);
    }

    /** Copies payload out, from its beginning. */
    public void copyTo(MemorySegment to, long offset, int bytes) {
        MemorySegment.copy(ring, slot + SlotLayout.HEADER_BYTES, to, offset, bytes);
    }

    /** A copy of the payload. */
    public byte[] toBytes() {
        byte[] bytes = new byte[length];
        copyTo(MemorySegment.ofArray(bytes), 0, length);
        return bytes;
    }
}
