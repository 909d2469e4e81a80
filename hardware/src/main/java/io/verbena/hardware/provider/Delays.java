package io.verbena.hardware.provider;

import io.verbena.hardware.abi.IbvSendWr;
import io.verbena.hardware.abi.Native;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The requests of one send queue that wait for a delay. No adapter has such an operation: a delay is a Write without data, which a timer
 * gives to the adapter together with the requests after it, so that its entry comes at its place.
 *
 * <p>The lock is held while requests are given to the adapter, so that those posted later stay behind them. Its owner takes no other lock
 * of the queue pair.
 */
final class Delays {

    /** Requests from a delay to the next one, linked by their {@code next}. */
    static final class Held {
        private final long delayNs;
        private final long first;
        private long last;
        private int count = 1;

        private Held(long delayNs, long request) {
            this.delayNs = delayNs;
            first = request;
            last = request;
        }

        long first() {
            return first;
        }

        int count() {
            return count;
        }
    }

    /** Gives requests to the adapter. */
    interface Giver {
        /** Returns whether the adapter took all. */
        boolean give(Held held);
    }

    private final AdapterContext rnic;
    private final Giver giver;
    private final Runnable onRefusal;
    private final ArrayDeque<Held> waiting = new ArrayDeque<>();

    /**
     * No requests.
     *
     * @param onRefusal called without the lock after the adapter has refused a request
     */
    Delays(AdapterContext rnic, Giver giver, Runnable onRefusal) {
        this.rnic = rnic;
        this.giver = giver;
        this.onRefusal = onRefusal;
    }

    /** A delay was posted. */
    synchronized void begin(long delayNs, long request) {
        waiting.addLast(new Held(delayNs, request));
        if (waiting.size() == 1) {
            rnic.after(delayNs, this::due);
        }
    }

    /** Keeps requests that were posted after a delay; returns false if there is none. */
    synchronized boolean append(long first, long last, int count) {
        assert first != 0 && last != 0 && count > 0 : "a chain of requests";
        Held held = waiting.peekLast();
        if (held == null) {
            return false;
        }
        Native.putLong(held.last + IbvSendWr.NEXT, first);
        held.last = last;
        held.count += count;
        return true;
    }

    private void due() {
        if (!giveFirst()) {
            onRefusal.run();
        }
    }

    private synchronized boolean giveFirst() {
        Held held = waiting.pollFirst();
        if (held == null) {
            return true; // the queue pair has ended
        }
        Held next = waiting.peekFirst();
        if (next != null) {
            rnic.after(next.delayNs, this::due);
        }
        return giver.give(held);
    }

    /** Whether requests wait. */
    synchronized boolean holds() {
        return !waiting.isEmpty();
    }

    /** Removes everything that waits, in order. */
    synchronized List<Held> end() {
        List<Held> all = new ArrayList<>(waiting);
        waiting.clear();
        return all;
    }
}
