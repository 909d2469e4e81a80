package io.verbena.tools.files;

/** Told what happens at a server, by any thread. */
@FunctionalInterface
public interface ServeListener {

    /** One line for people. */
    void onEvent(String line);
}
