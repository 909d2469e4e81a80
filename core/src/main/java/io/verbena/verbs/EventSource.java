package io.verbena.verbs;

/** A handler's events, as its processor sees them. Made by the RNIC. */
public interface EventSource {

    /**
     * Runs the handler for the oldest event, if there is one. Throws nothing that the handler throws.
     *
     * @return whether more events wait
     */
    boolean serve();

    /** The processor has ended: events that wait, and those to come, are not served there. */
    void abandon();
}
