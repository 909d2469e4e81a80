package io.verbena.rnic.ib.port;

import io.verbena.engine.Endpoint;

/** The wait of one endpoint until the port can send. An endpoint waits at most once at a time. */
public final class PortWait {

    private final Endpoint endpoint;
    private boolean waiting;

    public PortWait(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    /** Begins the wait; false if the endpoint already waits. */
    boolean begin() {
        boolean begins = !waiting;
        waiting = true;
        return begins;
    }

    /** Ends the wait. Returns the endpoint, which is to be served. */
    Endpoint end() {
        waiting = false;
        return endpoint;
    }
}
