package io.verbena.rnic.ib.port;

import io.verbena.base.RandomSource;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Targets of packets by a number that is not that of a queue pair of the RNIC, as a connection has another one each
 * time that packets begin to carry it. The low bits of a number are a place in the table, the others are random; a
 * place is used again when all others have been. Any thread adds and removes targets; the engines of the port look
 * them up.
 */
public final class NumberedTargets {

    private static final int PLACE_BITS = 12;
    private static final int PLACES = 1 << PLACE_BITS;

    /** Values of the other bits: 0 and the largest one belong to special queue pairs. */
    private static final int HIGHS = (1 << 24 - PLACE_BITS) - 2;

    private final AtomicReferenceArray<@Nullable Entry> places = new AtomicReferenceArray<>(PLACES);
    private int next;

    /** A target and its number. */
    private record Entry(int number, PacketTarget target) {}

    /** Gives a target a number; empty if all places are in use. */
    public synchronized OptionalInt add(PacketTarget target, RandomSource random) {
        for (int tries = 0; tries < PLACES; tries++) {
            int place = next;
            next = (next + 1) % PLACES;
            if (places.get(place) == null) {
                int number = 1 + Math.floorMod(random.nextInt(), HIGHS) << PLACE_BITS | place;
                places.setRelease(place, new Entry(number, target));
                return OptionalInt.of(number);
            }
        }
        return OptionalInt.empty();
    }

    /** Packets with this number find nothing any more. */
    public void remove(int number) {
        Entry found = places.getAcquire(number & PLACES - 1);
        if (found != null && found.number() == number) {
            places.compareAndSet(number & PLACES - 1, found, null);
        }
    }

    /** The target with this number; null if there is none. Does not allocate. */
    @Nullable
    public PacketTarget find(int number) {
        Entry found = places.getAcquire(number & PLACES - 1);
        return found != null && found.number() == number ? found.target() : null;
    }
}
