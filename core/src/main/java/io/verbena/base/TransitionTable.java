package io.verbena.base;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A state machine as a table with exactly one explicit answer for each state and event. {@link StateMachine} holds the
 * current state; {@link #mermaid} draws the table.
 *
 * @param <S> the states
 * @param <E> the events
 */
public final class TransitionTable<S extends Enum<S>, E extends Enum<E>> {

    /** The answer to an event in a state. */
    public sealed interface Answer<S> {
        /** The event leads to {@code next}. */
        record Go<S>(S next) implements Answer<S> {}

        /** The event is allowed and changes nothing. */
        record Ignore<S>() implements Answer<S> {}

        /** The caller must not cause this event; the sentence says what to do instead. */
        record Misuse<S>(String sentence) implements Answer<S> {}

        /** The event cannot occur in this state. If it does, this is a bug. */
        record Never<S>() implements Answer<S> {}
    }

    private final S[] states;
    private final E[] events;

    /** Row by row: the cell of a state and an event is at {@code state * events.length + event}. */
    private final List<Answer<S>> cells;

    /** The state after the event, in the same order; null where the event is refused. */
    private final List<@Nullable S> next;

    private TransitionTable(S[] states, E[] events, List<Answer<S>> cells) {
        this.states = states;
        this.events = events;
        this.cells = cells;
        next = new ArrayList<>(cells.size());
        for (int i = 0; i < cells.size(); i++) {
            next.add(after(cells.get(i), states[i / events.length]));
        }
    }

    private static <S> @Nullable S after(Answer<S> answer, S state) {
        if (answer instanceof Answer.Go<S>(S to)) {
            return to;
        }
        return answer instanceof Answer.Ignore<S> ? state : null;
    }

    /** Starts a table. */
    public static <S extends Enum<S>, E extends Enum<E>> Builder<S, E> of(Class<S> states, Class<E> events) {
        return new Builder<>(states.getEnumConstants(), events.getEnumConstants());
    }

    /** The answer of {@code state} to {@code event}. */
    public Answer<S> answer(S state, E event) {
        return cells.get(index(state, event));
    }

    private int index(S state, E event) {
        return state.ordinal() * events.length + event.ordinal();
    }

    /** Whether the event leads to a state, possibly to the same one. */
    public boolean moves(S state, E event) {
        return answer(state, event) instanceof Answer.Go;
    }

    /**
     * The state after the event: the same state if the event is ignored. Does not allocate.
     *
     * @throws IllegalStateException if the event is a misuse or cannot occur in this state
     */
    public S next(S state, E event) {
        S to = next.get(index(state, event));
        if (to == null) {
            throw refused(state, event);
        }
        return to;
    }

    private IllegalStateException refused(S state, E event) {
        return new IllegalStateException(
                answer(state, event) instanceof Answer.Misuse<S>(String sentence)
                        ? sentence
                        : event + " cannot occur in state " + state);
    }

    /** The states as lines of a Mermaid state diagram, with {@code prefix} before each name. */
    public String mermaid(String prefix) {
        StringBuilder out = new StringBuilder();
        for (S state : states) {
            out.append("        %s%s : %s\n".formatted(prefix, state, state));
        }
        out.append("        [*] --> %s%s\n".formatted(prefix, states[0]));
        for (S from : states) {
            edges(from)
                    .forEach((to, names) -> out.append("        %s%s --> %s%s : %s\n"
                            .formatted(prefix, from, prefix, to, String.join("<br/>", names))));
        }
        return out.toString();
    }

    /** The diagram as one composite state of a diagram that shows several machines. */
    public String mermaid(String title, String name, String prefix) {
        return "    state \"" + title + "\" as " + name + " {\n" + mermaid(prefix) + "    }\n";
    }

    private Map<S, List<String>> edges(S from) {
        Map<S, List<String>> edges = new LinkedHashMap<>();
        for (E event : events) {
            if (answer(from, event) instanceof Answer.Go<S>(S to)) {
                edges.computeIfAbsent(to, any -> new ArrayList<>()).add(event.name());
            }
        }
        return edges;
    }

    /**
     * Collects the cells, by row or one by one, and rejects an incomplete table or a cell that is given twice.
     */
    public static final class Builder<S extends Enum<S>, E extends Enum<E>> {
        private final S[] states;
        private final E[] events;
        private final List<@Nullable Answer<S>> cells;

        private Builder(S[] states, E[] events) {
            this.states = states;
            this.events = events;
            this.cells = new ArrayList<>(Collections.nCopies(states.length * events.length, null));
        }

        private int index(S state, E event) {
            return state.ordinal() * events.length + event.ordinal();
        }

        private void set(S state, E event, Answer<S> answer) {
            if (cells.set(index(state, event), answer) != null) {
                throw new IllegalArgumentException(state + " has two answers to " + event);
            }
        }

        /** All answers of one state, in the order of the events. */
        @SafeVarargs
        public final Builder<S, E> row(S state, Answer<S>... answers) {
            if (answers.length != events.length) {
                throw new IllegalArgumentException(state + " answers " + answers.length + " events");
            }
            for (E event : events) {
                set(state, event, answers[event.ordinal()]);
            }
            return this;
        }

        /** The event leads from one state to another. */
        public Builder<S, E> go(S from, E event, S to) {
            set(from, event, new Answer.Go<>(to));
            return this;
        }

        /** The state ignores these events. */
        @SafeVarargs
        public final Builder<S, E> ignore(S state, E... ignored) {
            for (E event : ignored) {
                set(state, event, new Answer.Ignore<>());
            }
            return this;
        }

        /** In this state the caller must not cause these events; the sentence says what to do instead. */
        @SafeVarargs
        public final Builder<S, E> misuse(String sentence, S state, E... refused) {
            for (E event : refused) {
                set(state, event, new Answer.Misuse<>(sentence));
            }
            return this;
        }

        /** The event leads to this state from every state that has no answer to the event yet. */
        public Builder<S, E> fromElsewhere(E event, S to) {
            for (S state : states) {
                if (cells.get(index(state, event)) == null) {
                    set(state, event, new Answer.Go<>(to));
                }
            }
            return this;
        }

        /** All other events cannot occur: fills every empty cell. */
        public Builder<S, E> otherwiseNever() {
            Collections.replaceAll(cells, null, new Answer.Never<>());
            return this;
        }

        /** The table. */
        public TransitionTable<S, E> build() {
            List<Answer<S>> complete = new ArrayList<>(cells.size());
            Set<S> without = EnumSet.noneOf(states[0].getDeclaringClass());
            for (int i = 0; i < cells.size(); i++) {
                Answer<S> answer = cells.get(i);
                if (answer == null) {
                    without.add(states[i / events.length]);
                } else {
                    complete.add(answer);
                }
            }
            if (!without.isEmpty()) {
                throw new IllegalArgumentException("states without an answer to at least one event: " + without);
            }
            return new TransitionTable<>(states, events, List.copyOf(complete));
        }
    }
}
