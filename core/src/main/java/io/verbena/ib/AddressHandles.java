package io.verbena.ib;

import io.verbena.base.PacketPath;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The address handles of an RNIC by number: work of datagram services names its destination by such a number. Any
 * thread adds and releases handles, engines look them up. A released number is not found again, even if its slot is
 * used for another handle.
 */
public final class AddressHandles {

    private static final int GENERATION_SHIFT = 20;

    /** Maximum number of handles. */
    public static final int MOST = 1 << GENERATION_SHIFT;

    private record Handle(int number, PacketPath path) {}

    private final AtomicReferenceArray<Handle> places;
    private final int[] generation;
    private int next;
    private int used;

    /** A table for this many handles. */
    public AddressHandles(int places) {
        if (places < 1 || places > MOST) {
            throw new IllegalArgumentException("1 to " + MOST + " address handles are supported, not " + places);
        }
        this.places = new AtomicReferenceArray<>(places);
        generation = new int[places];
    }

    /** A handle for a path. */
    public synchronized int add(PacketPath path) {
        if (used == places.length()) {
            throw new IllegalStateException("all " + used + " address handles are in use: close some");
        }
        while (places.get(next) != null) {
            next = (next + 1) % places.length();
        }
        int number = ++generation[next] << GENERATION_SHIFT | next;
        places.setRelease(next, new Handle(number, path));
        used++;
        return number;
    }

    /** Releases a handle: its number is no longer found. */
    public synchronized void release(int number) {
        if (has(number)) {
            places.setRelease(place(number), null);
            used--;
        }
    }

    private static int place(int number) {
        return number & MOST - 1;
    }

    /** Whether a number names a handle. */
    public boolean has(int number) {
        return path(number) != NOWHERE;
    }

    /** The path of a handle; {@link #NOWHERE} if there is no such handle. */
    public PacketPath path(int number) {
        int place = place(number);
        if (place >= places.length()) {
            return NOWHERE;
        }
        Handle handle = places.getAcquire(place);
        return handle == null || handle.number() != number ? NOWHERE : handle.path();
    }

    /** The value that means "no path". */
    public static final PacketPath NOWHERE = new PacketPath(0, 0, 0, 0);
}
