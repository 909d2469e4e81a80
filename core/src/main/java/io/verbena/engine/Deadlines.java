package io.verbena.engine;

import io.verbena.base.Times;
import java.util.Arrays;

/**
 * The deadlines of endpoints: a binary heap of the endpoints themselves, so that moving a deadline allocates nothing.
 * Instants are compared by difference. Used by one engine.
 */
final class Deadlines {

    private Endpoint[] heap = new Endpoint[64];
    private int size;

    /** Sets, moves or (with {@link Endpoint#NEVER}) removes an endpoint's deadline. */
    void set(Endpoint endpoint, long deadlineNs) {
        if (endpoint.deadlineNs == deadlineNs) {
            return;
        }
        if (deadlineNs == Endpoint.NEVER) {
            remove(endpoint);
            return;
        }
        endpoint.deadlineNs = deadlineNs;
        if (endpoint.deadlineIndex < 0) {
            if (size == heap.length) {
                heap = Arrays.copyOf(heap, size * 2);
            }
            endpoint.deadlineIndex = size;
            heap[size++] = endpoint;
        }
        settle(endpoint);
    }

    /** Removes an endpoint. */
    void remove(Endpoint endpoint) {
        int hole = endpoint.deadlineIndex;
        endpoint.deadlineNs = Endpoint.NEVER;
        if (hole < 0) {
            return;
        }
        endpoint.deadlineIndex = -1;
        Endpoint moved = heap[--size];
        heap = clearLast(heap, size);
        if (moved != endpoint) {
            heap[hole] = moved;
            moved.deadlineIndex = hole;
            settle(moved);
        }
    }

    /** Whether the earliest deadline has passed. */
    boolean due(long nowNs) {
        return size > 0 && Times.due(heap[0].deadlineNs, nowNs);
    }

    /** The endpoint of the earliest deadline; there is one. */
    Endpoint first() {
        assert size > 0;
        return heap[0];
    }

    /** The earliest deadline, {@link Endpoint#NEVER} when there is none. */
    long next() {
        return size == 0 ? Endpoint.NEVER : heap[0].deadlineNs;
    }

    int size() {
        return size;
    }

    private void settle(Endpoint endpoint) {
        int at = endpoint.deadlineIndex;
        while (at > 0 && earlier(endpoint, heap[(at - 1) / 2])) {
            at = pull(at, (at - 1) / 2);
        }
        while (true) {
            int child = 2 * at + 1;
            if (child >= size) {
                break;
            }
            if (child + 1 < size && earlier(heap[child + 1], heap[child])) {
                child++;
            }
            if (!earlier(heap[child], endpoint)) {
                break;
            }
            at = pull(at, child);
        }
        heap[at] = endpoint;
        endpoint.deadlineIndex = at;
    }

    /** Moves what is at {@code from} to {@code to}; the hole is at {@code from} then. */
    private int pull(int to, int from) {
        heap[to] = heap[from];
        heap[to].deadlineIndex = to;
        return from;
    }

    private static boolean earlier(Endpoint a, Endpoint b) {
        return a.deadlineNs - b.deadlineNs < 0;
    }

    @SuppressWarnings("NullAway") // unused elements are null
    private static Endpoint[] clearLast(Endpoint[] heap, int index) {
        heap[index] = null;
        return heap;
    }
}
