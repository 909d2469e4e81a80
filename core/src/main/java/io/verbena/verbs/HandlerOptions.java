package io.verbena.verbs;

import java.util.Objects;

/**
 * How a processor serves a CQ handler.
 *
 * @param serviceClass name of the service class, used by the policy of the processor and in figures
 * @param priority higher values are served first
 */
public record HandlerOptions(String serviceClass, int priority) {

    /** Checks that the service class is present. */
    public HandlerOptions {
        Objects.requireNonNull(serviceClass, "the class of a handler must not be null");
    }

    /** Service class "default", priority 0. */
    public static HandlerOptions defaults() {
        return new HandlerOptions("default", 0);
    }
}
