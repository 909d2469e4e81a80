package io.verbena.netty;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The registrations to look at. Any thread adds, the event loop takes. */
final class ReadyList {

    /** The newest first. */
    private final AtomicReference<@Nullable Registration> head = new AtomicReference<>();

    boolean isEmpty() {
        return head.get() == null;
    }

    /** Adds a registration that is not in the list. */
    void add(Registration added) {
        Registration first = head.get();
        added.next = first;
        while (!head.compareAndSet(first, added)) {
            first = head.get();
            added.next = first;
        }
    }

    /** Takes all of them; returns the oldest, from which the others follow. */
    @Nullable
    Registration takeAll() {
        Registration newer = head.getAndSet(null);
        Registration oldest = null;
        while (newer != null) {
            Registration older = newer.next;
            newer.next = oldest;
            oldest = newer;
            newer = older;
        }
        return oldest;
    }
}
