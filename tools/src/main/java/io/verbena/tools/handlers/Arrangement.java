package io.verbena.tools.handlers;

import java.util.Arrays;
import java.util.List;

/** How the two consumers get their handlers. */
public enum Arrangement {
    /** The seed's bottleneck: one handler on one processor for all CQs. */
    ONE_HANDLER("one handler for both consumers"),
    /** A handler each, both on one processor; messages go first. */
    OWN_HANDLERS("one handler per consumer, one processor"),
    /** A handler each, each on a processor of its own. */
    OWN_PROCESSORS("one handler and one processor per consumer"),
    /** Two engines besides, each bound to the core of the processor that handles what it completes. */
    OWN_ENGINES("one handler, one processor and one engine per consumer"),
    /** The messages' processor is urgent besides: the system lets its thread in as soon as it is woken. */
    URGENT_PROCESSOR("one handler and one processor per consumer, that of the messages urgent");

    private final String words;

    Arrangement(String words) {
        this.words = words;
    }

    /** The arrangements that are possible with this maximum number of engines. */
    public static List<Arrangement> with(int maxEngines) {
        return Arrays.stream(values())
                .filter(each -> each != OWN_ENGINES || maxEngines > 1)
                .toList();
    }

    /** What people call it. */
    public String words() {
        return words;
    }
}
