package io.verbena.sim.handlers;

/** Where the events of a stream of completions are handled. */
public enum Routing {
    /** One handler on one processor for all. */
    ONE_HANDLER("one handler"),
    /** Each event on the next processor: whichever is free, as an interrupt that is sent to anybody. */
    WANDERING("handlers on any processor"),
    /** A handler a processor; a stream stays with its handler. */
    BOUND("a handler a processor");

    private final String words;

    Routing(String words) {
        this.words = words;
    }

    /** What people call it. */
    public String words() {
        return words;
    }
}
