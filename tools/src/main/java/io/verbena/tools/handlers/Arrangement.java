package io.verbena.tools.handlers;

/** How the two consumers get their handlers. */
public enum Arrangement {
    /** The seed's bottleneck: one handler on one processor for all CQs. */
    ONE_HANDLER("one handler for both consumers"),
    /** A handler each, both on one processor; messages go first. */
    OWN_HANDLERS("a handler each, one processor"),
    /** A handler each, each on a processor of its own. */
    OWN_PROCESSORS("a handler each, a processor each"),
    /** Two engines besides, each bound to the core of the processor that handles what it completes. */
    OWN_ENGINES("a handler each, a processor each, an engine beside each"),
    /** The messages' processor is urgent besides: the system lets its thread in as soon as it is woken. */
    URGENT_PROCESSOR("a handler each, a processor each, the messages' urgent");

    private final String words;

    Arrangement(String words) {
        this.words = words;
    }

    /** What people call it. */
    public String words() {
        return words;
    }
}
