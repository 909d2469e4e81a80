package io.verbena.verbs;

import java.util.Objects;

/**
 * How a CQ handler is served by its processor.
 *
 * @param serviceClass name of its class, for the processor's policy and for figures
 * @param priority higher goes first
 */
public record HandlerOptions(String serviceClass, int priority) {

    /** Checks that there is a class. */
    public HandlerOptions {
        Objects.requireNonNull(serviceClass, "the class of a handler must not be null");
    }

    /** Class "default", priority 0. */
    public static HandlerOptions defaults() {
        return new HandlerOptions("default", 0);
    }
}
