package io.verbena.fabric.topology;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;

/** What a reader of topologies had to assume or leave out: one sentence of each kind, with the number of further cases. */
final class TopologyWarnings {

    /** What a warning is about. */
    enum Kind {
        IGNORED_LINE,
        UNKNOWN_RATE,
        NO_RATE,
        DIFFERENT_RATES,
        UNDESCRIBED_PEER,
        COMMAND,
        NO_NODE_GUID,
        NO_CABLES,
        SAME_NAME
    }

    private final Map<Kind, String> first = new EnumMap<>(Kind.class);
    private final Map<Kind, Integer> count = new EnumMap<>(Kind.class);

    void add(Kind kind, String sentence) {
        first.putIfAbsent(kind, sentence);
        count.merge(kind, 1, Integer::sum);
    }

    void report(Consumer<String> to) {
        first.forEach((kind, sentence) -> {
            int more = count.getOrDefault(kind, 1) - 1;
            to.accept(sentence + (more == 0 ? "" : " (and " + more + " more)"));
        });
    }
}
