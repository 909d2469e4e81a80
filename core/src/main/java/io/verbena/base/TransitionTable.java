package io.verbena.base;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A state machine as a table: for each state and each event exactly one written answer.
 *
 * @param <S> the states
 * @param <E> the events
 */
public final class TransitionTable<S extends Enum<S>, E extends Enum<E>> {

    /** What a state answers to an event. */
    public sealed interface Answer<S> {
        /** The event leads to {@code next}. */
        record Go<S>(S next) implements Answer<S> {}

        /** The event may come and changes nothing. */
        record Ignore<S>() implements Answer<S> {}

        /** The caller should not have done that; the sentence says what to do. */
        record Misuse<S>(String sentence) implements Answer<S> {}

        /** Our own code never brings this event here: a bug if it does. */
        record Never<S>() implements Answer<S> {}
    }

    private final Class<S> states;
    private final Class<E> events;
    private final Map<S, List<Answer<S>>> rows;

    private TransitionTable(Class<S> states, Class<E> events, Map<S, List<Answer<S>>> rows) {
        this.states = states;
        this.events = events;
        this.rows = rows;
    }

    /** Begins a table. */
    public static <S extends Enum<S>, E extends Enum<E>> Builder<S, E> of(Class<S> states, Class<E> events) {
        return new Builder<>(states, events);
    }

    /** The answer of {@code state} to {@code event}. */
    public Answer<S> answer(S state, E event) {
        // Each state has a row: the builder sees to it.
        return Objects.requireNonNull(rows.get(state)).get(event.ordinal());
    }

    /** The states as lines of a Mermaid state diagram, each name prefixed by {@code prefix}. */
    public String mermaid(String prefix) {
        StringBuilder out = new StringBuilder();
        for (S state : states.getEnumConstants()) {
            out.append("        ")
                    .append(prefix)
                    .append(state)
                    .append(" : ")
                    .append(state)
                    .append('\n');
        }
        out.append("        [*] --> ")
                .append(prefix)
                .append(states.getEnumConstants()[0])
                .append('\n');
        for (S from : states.getEnumConstants()) {
            edges(from)
                    .forEach((to, names) -> out.append("        ")
                            .append(prefix + from + " --> " + prefix + to + " : " + String.join("<br/>", names))
                            .append('\n'));
        }
        return out.toString();
    }

    private Map<S, List<String>> edges(S from) {
        Map<S, List<String>> edges = new LinkedHashMap<>();
        for (E event : events.getEnumConstants()) {
            if (answer(from, event) instanceof Answer.Go<S>(S to)) {
                edges.computeIfAbsent(to, any -> new ArrayList<>()).add(event.name());
            }
        }
        return edges;
    }

    /** Takes the rows and refuses an incomplete table. */
    public static final class Builder<S extends Enum<S>, E extends Enum<E>> {
        private final Class<S> states;
        private final Class<E> events;
        private final Map<S, List<Answer<S>>> rows;

        private Builder(Class<S> states, Class<E> events) {
            this.states = states;
            this.events = events;
            this.rows = new EnumMap<>(states);
        }

        /** One state's answers, in the order of the events. */
        @SafeVarargs
        public final Builder<S, E> row(S state, Answer<S>... answers) {
            if (answers.length != events.getEnumConstants().length) {
                throw new IllegalArgumentException(state + " answers " + answers.length + " events");
            }
            List<Answer<S>> row = new ArrayList<>(answers.length);
            for (Answer<S> answer : answers) {
                row.add(answer);
            }
            if (rows.put(state, row) != null) {
                throw new IllegalArgumentException(state + " has two rows");
            }
            return this;
        }

        /** The table. */
        public TransitionTable<S, E> build() {
            if (rows.size() != states.getEnumConstants().length) {
                throw new IllegalArgumentException("states without a row: only " + rows.keySet() + " have one");
            }
            return new TransitionTable<>(states, events, rows);
        }
    }
}
