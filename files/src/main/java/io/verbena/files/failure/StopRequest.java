package io.verbena.files.failure;

/** Tells a server or a copy whether its caller wants it to end, for example after Ctrl-C. Any thread asks, several times a second. */
@FunctionalInterface
public interface StopRequest {

    /** Whether the end is requested. Once true, always true. */
    boolean raised();

    /**
     * Ends a wait when the end is requested.
     *
     * @throws Stopped if it is
     */
    default void check() throws Stopped {
        if (raised()) {
            throw new Stopped();
        }
    }
}
