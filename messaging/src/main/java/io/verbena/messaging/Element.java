package io.verbena.messaging;

import io.verbena.messaging.protocol.SlotLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * An element in its slot, while a listener looks at it. One object for all elements of an endpoint. Its header is read once:
 * the peer can write to the slot at any time, and what was checked must be what is used.
 */
public final class Element {

    private MemorySegment ring = MemorySegment.NULL;
    private long slot;
    private int length;
    private int virtualChannel;
    private long about;
    private long match;
    private long word;

    Element() {}

    Element at(MemorySegment newRing, long newSlot, int newLength, int newVirtualChannel) {
        ring = newRing;
        slot = newSlot;
        length = newLength;
        virtualChannel = newVirtualChannel;
        about = SlotLayout.about(newRing, newSlot);
        match = SlotLayout.match(newRing, newSlot);
        word = SlotLayout.word(newRing, newSlot);
        return this;
    }

    boolean announced() {
        return (SlotLayout.flagsOf(about) & SlotLayout.ANNOUNCED) != 0;
    }

    /** Slots that the sender has given back. */
    int returned() {
        return SlotLayout.returnedOf(about);
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
        return SlotLayout.kindOf(about);
    }

    public int tag() {
        return SlotLayout.tagOf(match);
    }

    public int context() {
        return SlotLayout.contextOf(match);
    }

    /** Eight bytes of the sender's. */
    public long word() {
        return word;
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
