package io.verbena.verbs;

/** Told of asynchronous events. */
@FunctionalInterface
public interface AsyncEventListener {

    void onEvent(AsyncEvent event);
}
