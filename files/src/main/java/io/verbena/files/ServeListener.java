package io.verbena.files;

/** Receives the lines of a server's log, from any thread. */
@FunctionalInterface
public interface ServeListener {

    /** One line, which names the client by its address. The rate of lines that clients cause is limited. */
    void onEvent(String line);
}
