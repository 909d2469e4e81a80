package io.verbena.verbs;

/**
 * Address at which the events of one handler are signalled to a {@link HandlerProcessor}. Returned by
 * {@link HandlerProcessor#attach}.
 */
public interface EventAddress {

    /**
     * Signals that the {@link EventSource} of the handler has an event. May be called from any thread; returns at once
     * and does not allocate. Signals that arrive before the processor serves the source are combined into one.
     *
     * @throws RuntimeException if the processor has ended
     */
    void signal();

    /** Changes the service class and priority of the handler from now on. */
    void options(HandlerOptions options);

    /** Releases the address, because the handler is removed. */
    void detach();
}
