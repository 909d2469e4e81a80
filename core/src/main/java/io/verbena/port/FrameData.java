package io.verbena.port;

import io.verbena.base.Slab;

/**
 * The data at the end of a frame, which stays where it is until the frame leaves: a range of a ring, so in one or two pieces.
 *
 * <pre>
 *   ring   | second piece |            | first piece |
 * </pre>
 *
 * One object for all frames of an owner.
 */
public final class FrameData {

    private Slab ring = Slab.NONE;
    private int from;
    private int firstBytes;
    private int secondBytes;

    /** The frame has no such data. */
    public void clear() {
        ring = Slab.NONE;
        from = 0;
        firstBytes = 0;
        secondBytes = 0;
    }

    /** The data are {@code bytes} of a ring from an offset on. */
    public void set(Slab newRing, int capacity, int newFrom, int bytes) {
        ring = newRing;
        from = newFrom;
        firstBytes = Math.min(bytes, capacity - newFrom);
        secondBytes = bytes - firstBytes;
    }

    /** The memory of the ring. It outlives the call that sends the frame. */
    public Slab ring() {
        return ring;
    }

    public int bytes() {
        return firstBytes + secondBytes;
    }

    public long firstAddress() {
        return ring.address() + from;
    }

    public int firstBytes() {
        return firstBytes;
    }

    /** The second piece begins where the ring does. */
    public long secondAddress() {
        return ring.address();
    }

    public int secondBytes() {
        return secondBytes;
    }
}
