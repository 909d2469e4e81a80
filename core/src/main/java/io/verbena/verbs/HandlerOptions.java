package io.verbena.verbs;

/**
 * How a CQ handler is served by its processor.
 *
 * @param serviceClass name of its class, for the processor's policy and for figures
 * @param priority higher goes first
 */
public record HandlerOptions(String serviceClass, int priority) {

    /** Class "default", priority 0. */
    public static HandlerOptions defaults() {
        return new HandlerOptions("default", 0);
    }
}
