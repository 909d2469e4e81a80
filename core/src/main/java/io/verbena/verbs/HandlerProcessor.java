package io.verbena.verbs;

/** What runs CQ handlers: a thread, a group of threads, or the caller's own loop. */
@FunctionalInterface
public interface HandlerProcessor {

    /**
     * Sees to it that {@code work} runs soon, once. Called by the RNIC's threads: it must return at once.
     *
     * @param handler the datum of the signal: which handler it is for, {@link CqHandlerId#NONE} for the RNIC's listeners
     * @param work runs the handler
     */
    void signal(CqHandlerId handler, Runnable work);
}
