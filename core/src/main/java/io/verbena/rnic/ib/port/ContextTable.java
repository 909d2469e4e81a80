package io.verbena.rnic.ib.port;

import io.verbena.base.RandomSource;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The end-to-end contexts of a port by number. The low bits of a number are a place in the table, the others are random. Any
 * thread adds and removes contexts; the engine of the port looks them up.
 */
public final class ContextTable {

    private static final int PLACE_BITS = 12;
    private static final int NUMBER_BITS = 24;

    /** Maximum number of contexts. */
    static final int MOST = 1 << PLACE_BITS;

    private final AtomicReferenceArray<@Nullable ContextEndpoint> places = new AtomicReferenceArray<>(MOST);
    private final AtomicReferenceArray<@Nullable Integer> reserved = new AtomicReferenceArray<>(MOST);
    private int next;

    /** Reserves a number for a context that is being set up. */
    public synchronized int reserve(RandomSource random) {
        for (int tries = 0; tries < MOST; tries++) {
            int place = next;
            next = (next + 1) % MOST;
            if (reserved.get(place) == null) {
                int number = (random.nextInt() << PLACE_BITS | place) & (1 << NUMBER_BITS) - 1;
                reserved.set(place, number);
                return number;
            }
        }
        throw new IllegalStateException("all " + MOST + " end-to-end contexts are in use: close some");
    }

    /** Releases a number. */
    public synchronized void release(int number) {
        reserved.set(number & MOST - 1, null);
    }

    /** Makes a context known. */
    public void put(ContextEndpoint endpoint) {
        places.setRelease(endpoint.number() & MOST - 1, endpoint);
    }

    /** Forgets a context. */
    public void remove(ContextEndpoint endpoint) {
        places.compareAndSet(endpoint.number() & MOST - 1, endpoint, null);
    }

    /** Runs a step for each known context. On the engine. */
    public void forEach(Consumer<ContextEndpoint> step) {
        for (int i = 0; i < MOST; i++) {
            ContextEndpoint each = places.get(i);
            if (each != null) {
                step.accept(each);
            }
        }
    }

    /** The context with this number; null if there is none. */
    @Nullable
    public ContextEndpoint find(int number) {
        ContextEndpoint found = places.getAcquire(number & MOST - 1);
        return found != null && found.number() == number ? found : null;
    }
}
