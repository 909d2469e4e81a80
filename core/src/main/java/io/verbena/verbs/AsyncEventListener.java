package io.verbena.verbs;

/** Receives the asynchronous events of an RNIC; see {@link Rnic#onAsyncEvent}. */
@FunctionalInterface
public interface AsyncEventListener {

    /** Called once per event. What it throws is logged. */
    void onEvent(AsyncEvent event);
}
