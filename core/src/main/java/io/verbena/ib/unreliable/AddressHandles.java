package io.verbena.ib.unreliable;

import io.verbena.base.PacketPath;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;

/**
 * The address handles of an RNIC by number: work of datagram services names its destination by such a number. Any
 * thread adds and releases handles, engines look them up. A released number is not found again, even if its slot is
 * used for another handle.
 */
public final class AddressHandles {

    /** Maximum number of handles. */
    public static final int MOST = 1 << 20;

    private record Handle(int number, PacketPath path) {}

    private static final int FIRST_PLACES = 64;

    private final int most;

    /** The low bits of a number are a place, the others count the uses of the place. */
    private final int placeBits;

    /** Grows under the lock; a place that is released afterwards remains in a former array, which the reader may still have. */
    private volatile AtomicReferenceArray<Handle> places;

    private int[] generation;

    /** Unused places, the one that was released first in front, so that a number is not assigned again for as long as possible. */
    private final ArrayDeque<Integer> unused = new ArrayDeque<>();

    /** A table for this many handles. */
    public AddressHandles(int most) {
        if (most < 1 || most > MOST) {
            throw new IllegalArgumentException("1 to " + MOST + " address handles are supported, not " + most);
        }
        this.most = most;
        placeBits = Integer.SIZE - Integer.numberOfLeadingZeros(most - 1);
        places = new AtomicReferenceArray<>(Math.min(FIRST_PLACES, most));
        generation = new int[places.length()];
        IntStream.range(0, places.length()).forEach(unused::add);
    }

    private void grow() {
        AtomicReferenceArray<Handle> larger = new AtomicReferenceArray<>(Math.min(most, 2 * places.length()));
        for (int i = 0; i < places.length(); i++) {
            larger.setPlain(i, places.getPlain(i));
        }
        generation = Arrays.copyOf(generation, larger.length());
        IntStream.range(places.length(), larger.length()).forEach(unused::add);
        places = larger;
    }

    /** A handle for a path. */
    public synchronized int add(PacketPath path) {
        if (unused.isEmpty() && places.length() == most) {
            throw new IllegalStateException("all " + most + " address handles are in use: close some");
        }
        if (unused.isEmpty()) {
            grow();
        }
        int place = unused.removeFirst();
        int number = ++generation[place] << placeBits | place;
        places.setRelease(place, new Handle(number, path));
        return number;
    }

    /** Releases a handle: its number is no longer found. */
    public synchronized void release(int number) {
        if (has(number)) {
            places.setRelease(place(number), null);
            unused.addLast(place(number));
        }
    }

    private int place(int number) {
        return number & (1 << placeBits) - 1;
    }

    /** Whether a number names a handle. */
    public boolean has(int number) {
        return path(number) != NOWHERE;
    }

    /** The path of a handle; {@link #NOWHERE} if there is no such handle. */
    public PacketPath path(int number) {
        int place = place(number);
        AtomicReferenceArray<Handle> currentPlaces = places;
        if (place >= currentPlaces.length()) {
            return NOWHERE;
        }
        Handle handle = currentPlaces.getAcquire(place);
        return handle == null || handle.number() != number ? NOWHERE : handle.path();
    }

    /** The value that means "no path". */
    public static final PacketPath NOWHERE = new PacketPath(0, 0, 0, 0);
}
