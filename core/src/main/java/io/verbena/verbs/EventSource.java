package io.verbena.verbs;

/** The pending events of a handler, as seen by its processor. Implemented by the RNIC. */
public interface EventSource {

    /**
     * Runs the handler for the oldest event, if any. Exceptions of the handler are not passed on.
     *
     * @return whether more events are pending
     */
    boolean serve();

    /** The processor has ended: pending and future events are not served there. */
    void abandon();
}
