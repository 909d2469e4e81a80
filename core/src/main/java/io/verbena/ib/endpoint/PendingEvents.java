package io.verbena.ib.endpoint;

import io.verbena.verbs.AsyncEventType;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** Asynchronous events of one queue pair that have not been reported. Each type is pending at most once. */
public final class PendingEvents {

    private final Set<AsyncEventType> pending = EnumSet.noneOf(AsyncEventType.class);

    public void raise(AsyncEventType type) {
        pending.add(type);
    }

    /** Removes the next event and returns it. */
    public Optional<AsyncEventType> poll() {
        if (pending.isEmpty()) {
            return Optional.empty();
        }
        AsyncEventType first = pending.iterator().next();
        pending.remove(first);
        return Optional.of(first);
    }
}
