package io.verbena.engine;

import org.jspecify.annotations.Nullable;

/** Endpoints that have something to do, each once, first come first served. One engine's own. */
final class ReadyRing {

    private @Nullable Endpoint first;
    private @Nullable Endpoint last;
    private int size;

    /** Adds at the end, unless it is there. */
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

    /** Takes the first one out; null when there is none. */
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
