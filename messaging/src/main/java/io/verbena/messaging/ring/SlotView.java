package io.verbena.messaging.ring;

import io.verbena.messaging.protocol.SlotLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * An element in its slot. The header is read once: the peer can write to the slot at any time, and the values that were checked must be
 * the values that are used.
 */
public final class SlotView {

    private MemorySegment ring = MemorySegment.NULL;
    private long slot;
    private int length;
    private int virtualChannel;
    private long about;
    private long match;
    private long word;

    SlotView() {}

    SlotView at(MemorySegment newRing, long newSlot, int newLength, int newVirtualChannel) {
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
        return announced(about);
    }

    /** Whether a completion shows that the element in a slot has been placed. */
    static boolean announced(MemorySegment ring, long slot) {
        return announced(SlotLayout.about(ring, slot));
    }

    private static boolean announced(long about) {
        return (SlotLayout.flagsOf(about) & SlotLayout.ANNOUNCED) != 0;
    }

    /** Number of slots that the sender of this element has returned. */
    int returned() {
        return SlotLayout.returnedOf(about);
    }

    public int length() {
        return length;
    }

    public int virtualChannel() {
        return virtualChannel;
    }

    public int kind() {
        return SlotLayout.kindOf(about);
    }

    public int tag() {
        return SlotLayout.tagOf(match);
    }

    public int context() {
        return SlotLayout.contextOf(match);
    }

    public long word() {
        return word;
    }

    public long longAt(ValueLayout.OfLong layout, long offset) {
        return ring.get(layout, slot + SlotLayout.HEADER_BYTES + offset);
    }

    public void copyTo(MemorySegment to, long offset, int bytes) {
        MemorySegment.copy(ring, slot + SlotLayout.HEADER_BYTES, to, offset, bytes);
    }
}
