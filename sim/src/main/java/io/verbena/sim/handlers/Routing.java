package io.verbena.sim.handlers;

/** Where the events of a stream of completions are handled. */
public enum Routing {
    /** One handler on one processor for all. */
    ONE_HANDLER("one handler"),
    /** Each event runs on the next free processor, like an interrupt that may be sent to any. */
    WANDERING("handlers on any processor"),
    /** One handler per processor; a stream stays with its handler. */
    BOUND("one handler per processor");

    private final String words;

    Routing(String words) {
        this.words = words;
    }

    /** What people call it. */
    public String words() {
        return words;
    }
}
