package io.verbena.sim;

import java.util.Arrays;

/**
 * What is to happen, by time; at one time in the order of being scheduled. So a run depends on nothing but its inputs.
 * Times are compared by difference.
 */
final class EventQueue {

    private record Event(long timeNs, long sequence, Runnable action) {
        boolean before(Event other) {
            long difference = timeNs - other.timeNs;
            return difference < 0 || difference == 0 && sequence < other.sequence;
        }
    }

    private static final Event NONE = new Event(0, 0, () -> {});

    private Event[] heap = new Event[256];
    private int size;
    private long sequence;

    void add(long timeNs, Runnable action) {
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, size * 2);
        }
        Event added = new Event(timeNs, sequence++, action);
        int at = size++;
        while (at > 0 && added.before(heap[(at - 1) / 2])) {
            heap[at] = heap[(at - 1) / 2];
            at = (at - 1) / 2;
        }
        heap[at] = added;
    }

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    /** Time of the next one; there is one. */
    long nextNs() {
        return heap[0].timeNs;
    }

    /** Removes the next event; the queue must not be empty. */
    Runnable take() {
        Runnable action = heap[0].action;
        Event last = heap[--size];
        heap[size] = NONE;
        int at = 0;
        while (true) {
            int child = 2 * at + 1;
            if (child >= size) {
                break;
            }
            if (child + 1 < size && heap[child + 1].before(heap[child])) {
                child++;
            }
            if (!heap[child].before(last)) {
                break;
            }
            heap[at] = heap[child];
            at = child;
        }
        if (size > 0) {
            heap[at] = last;
        }
        return action;
    }
}
