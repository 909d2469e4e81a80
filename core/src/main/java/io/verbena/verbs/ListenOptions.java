package io.verbena.verbs;

import java.time.Duration;

/**
 * How a listener behaves.
 *
 * @param backlog most requests that wait to be looked at; more are turned away
 * @param startUpTimeout how long a peer may take to send its request, and the application to answer it
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
