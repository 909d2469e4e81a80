package io.verbena.verbs;

import java.time.Duration;

/**
 * Attributes of a listener.
 *
 * <p>A peer that has connected and sends nothing may only be slow: its process may have no processor just now. So a
 * listener waits longer than a peer that connects usually does. What silent peers can cost is bounded by their number:
 * when there are too many, the oldest ones are dropped.
 *
 * @param backlog maximum number of requests that wait for the application; further requests are rejected
 * @param startUpTimeout maximum time for a peer to send its request, and for the application to answer it
 */
public record ListenOptions(int backlog, Duration startUpTimeout) {

    /** 128 requests, 30 seconds. */
    public static ListenOptions defaults() {
        return new ListenOptions(128, Duration.ofSeconds(30));
    }

    public ListenOptions withBacklog(int value) {
        return new ListenOptions(value, startUpTimeout);
    }

    public ListenOptions withStartUpTimeout(Duration value) {
        return new ListenOptions(backlog, value);
    }
}
