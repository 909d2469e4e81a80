package io.verbena.engine;

import org.jspecify.annotations.Nullable;

/** Endpoints that have something to do, each once, in order of arrival. Used by one engine. */
final class ReadyRing {

    private @Nullable Endpoint first;
    private @Nullable Endpoint last;
    private int size;

    /** Appends an endpoint, unless the ring contains it. */
    void add(Endpoint endpoint) {
        if (endpoint.ready) {
            return;
        }
        endpoint.ready = true;
        endpoint.nextReady = null;
        Endpoint before = last;
        if (before == null) {
            first = endpoint;
        } else {
            before.nextReady = endpoint;
        }
        last = endpoint;
        size++;
    }

    /** Removes the first endpoint; null when there is none. */
    @Nullable
    Endpoint poll() {
        Endpoint taken = first;
        if (taken == null) {
            return null;
        }
        first = taken.nextReady;
        if (first == null) {
            last = null;
        }
        taken.nextReady = null;
        taken.ready = false;
        size--;
        return taken;
    }

    int size() {
        return size;
    }
}
