package io.verbena.verbs;

import java.time.Duration;

/**
 * Attributes of a listener.
 *
 * @param backlog maximum number of requests that wait for the application; further requests are rejected
 * @param startUpTimeout maximum time for a peer to send its request, and for the application to answer it
 */
public record ListenOptions(int backlog, Duration startUpTimeout) {

    /** 128 requests, 5 seconds. */
    public static ListenOptions defaults() {
        return new ListenOptions(128, Duration.ofSeconds(5));
    }

    public ListenOptions withBacklog(int value) {
        return new ListenOptions(value, startUpTimeout);
    }

    public ListenOptions withStartUpTimeout(Duration value) {
        return new ListenOptions(backlog, value);
    }
}
