package io.verbena.verbs;

/** Where a handler's events are signalled: its place at a {@link HandlerProcessor}. Given by {@link HandlerProcessor#attach}. */
public interface EventAddress {

    /**
     * The handler's {@link EventSource} has an event. Any thread; returns at once and allocates nothing. Signals that come
     * before the processor looked count as one.
     *
     * @throws RuntimeException when the processor has ended
     */
    void signal();

    /** From now on the handler is served like this. */
    void options(HandlerOptions options);

    /** The handler is removed: its place is given up. */
    void detach();
}
