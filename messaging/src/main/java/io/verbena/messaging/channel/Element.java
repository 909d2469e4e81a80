package io.verbena.messaging.channel;

import io.verbena.messaging.ring.SlotView;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** An element in its slot, valid while a listener handles it. An endpoint uses one object for all elements. */
public final class Element {

    private final SlotView slot;

    Element(SlotView slot) {
        this.slot = slot;
    }

    /** Length of the payload in bytes. */
    public int length() {
        return slot.length();
    }

    public int virtualChannel() {
        return slot.virtualChannel();
    }

    /** Kind of the element, chosen by the sender; 0 to 127. */
    public int kind() {
        return slot.kind();
    }

    public int tag() {
        return slot.tag();
    }

    public int context() {
        return slot.context();
    }

    /** Eight bytes of the sender. */
    public long word() {
        return slot.word();
    }

    public long longAt(ValueLayout.OfLong layout, long offset) {
        return slot.longAt(layout, offset);
    }

    /** Copies the first bytes of the payload. */
    public void copyTo(MemorySegment to, long offset, int bytes) {
        slot.copyTo(to, offset, bytes);
    }

    /** A copy of the payload. */
    public byte[] toBytes() {
        byte[] bytes = new byte[length()];
        copyTo(MemorySegment.ofArray(bytes), 0, length());
        return bytes;
    }
}
