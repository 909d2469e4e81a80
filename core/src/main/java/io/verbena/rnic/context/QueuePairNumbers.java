package io.verbena.rnic.context;

import io.verbena.base.RandomSource;
import io.verbena.engine.RnicEngine;
import io.verbena.verbs.CompletionQueue;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Queue pairs by number. Lookups take no lock and allocate nothing; updates are serialized. The table uses open
 * addressing with linear probing. A removed entry leaves a tombstone until the table is rebuilt.
 */
public final class QueuePairNumbers {

    /** Queue pair numbers have 24 bits, as in InfiniBand. */
    static final int BITS = 24;

    /**
     * The first number that is none of a queue pair: in InfiniBand, 0xffffff stands for the members of a multicast group, and packets
     * to 0xfffffe are raw datagrams.
     */
    private static final int FIRST_RESERVED = (1 << BITS) - 2;

    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Object[].class);
    private static final Object REMOVED = new Object();

    private volatile @Nullable Object[] slots = new @Nullable Object[64];
    private int used;
    private int size;
    private long added;

    /** Chooses an unused, unpredictable number. In InfiniBand, 0 and 1 belong to management, and the last two are not queue pairs. */
    public synchronized int unused(RandomSource random) {
        while (true) {
            int number = random.nextInt() & (1 << BITS) - 1;
            if (number > 1 && number < FIRST_RESERVED && find(number).isEmpty()) {
                return number;
            }
        }
    }

    public synchronized void add(NumberedQueuePair queuePair) {
        if ((used + 1) * 2 > slots.length) {
            rebuild();
        }
        place(slots, queuePair);
        used++;
        size++;
        added++;
    }

    /** Number of queue pairs that were ever added. */
    public synchronized long added() {
        return added;
    }

    public synchronized void remove(NumberedQueuePair queuePair) {
        @Nullable Object[] currentSlots = slots;
        for (int i = home(queuePair.number(), currentSlots); ; i = i + 1 & currentSlots.length - 1) {
            Object found = currentSlots[i];
            if (found == queuePair) {
                SLOT.setRelease(currentSlots, i, REMOVED);
                size--;
                return;
            }
            if (found == null) {
                return;
            }
        }
    }

    /** The queue pair with this number. */
    public Optional<NumberedQueuePair> find(int number) {
        NumberedQueuePair found = lookUp(number);
        return found == null ? Optional.empty() : Optional.of(found);
    }

    /** As {@link #find}, without allocating: null if there is none. */
    @Nullable
    public NumberedQueuePair lookUp(int number) {
        @Nullable Object[] currentSlots = slots;
        for (int i = home(number, currentSlots); ; i = i + 1 & currentSlots.length - 1) {
            Object found = SLOT.getAcquire(currentSlots, i);
            if (found == null) {
                return null;
            }
            if (found instanceof NumberedQueuePair queuePair && queuePair.number() == number) {
                return queuePair;
            }
        }
    }

    /** Number of queue pairs. */
    public synchronized int size() {
        return size;
    }

    /** A snapshot of all queue pairs. */
    public synchronized NumberedQueuePair[] all() {
        NumberedQueuePair[] all = new NumberedQueuePair[size];
        int count = 0;
        for (Object slot : slots) {
            if (slot instanceof NumberedQueuePair queuePair) {
                all[count++] = queuePair;
            }
        }
        return all;
    }

    /**
     * Makes the queue pairs of an engine use the current rings of a CQ, after the CQ was resized. Called on that
     * engine.
     */
    public void refreshRings(CompletionQueue cq, RnicEngine engine) {
        for (NumberedQueuePair each : all()) {
            each.refreshRings(cq, engine);
        }
    }

    private void rebuild() {
        int length = 64;
        while (length < (size + 1) * 4) {
            length *= 2;
        }
        @Nullable Object[] fresh = new @Nullable Object[length];
        for (Object slot : slots) {
            if (slot instanceof NumberedQueuePair queuePair) {
                place(fresh, queuePair);
            }
        }
        used = size;
        slots = fresh;
    }

    private static void place(@Nullable Object[] into, NumberedQueuePair queuePair) {
        int i = home(queuePair.number(), into);
        while (into[i] != null) {
            i = i + 1 & into.length - 1;
        }
        SLOT.setRelease(into, i, queuePair);
    }

    private static int home(int number, @Nullable Object[] slots) {
        return (number * 0x9E37_79B9 >>> 8) & slots.length - 1;
    }
}
