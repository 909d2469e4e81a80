package io.verbena.messaging.protocol;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A state machine as a table: for each state and event either the next state, or that the event is ignored, or that the event does not
 * occur in that state.
 *
 * @param <S> the states, the first one first
 * @param <E> the events
 */
final class StateTable<S extends Enum<S>, E extends Enum<E>> {

    private final Class<S> states;
    private final Class<E> events;
    private final Map<S, Map<E, S>> moves;
    private final Map<S, Set<E>> ignored;

    private StateTable(Builder<S, E> builder) {
        states = builder.states;
        events = builder.events;
        moves = builder.moves;
        ignored = builder.ignored;
    }

    static <S extends Enum<S>, E extends Enum<E>> Builder<S, E> of(Class<S> states, Class<E> events) {
        return new Builder<>(states, events);
    }

    /** The state after an event; the same state if the event is ignored. */
    S next(S state, E event) {
        S next = moves.getOrDefault(state, Map.of()).get(event);
        if (next != null) {
            return next;
        }
        if (ignored.getOrDefault(state, Set.of()).contains(event)) {
            return state;
        }
        throw new IllegalStateException(event + " cannot occur in state " + state);
    }

    /** The state that an event leads to, if it changes the state. */
    Optional<S> move(S state, E event) {
        return Optional.ofNullable(moves.getOrDefault(state, Map.of()).get(event));
    }

    /** The table as lines of a Mermaid state diagram, each name prefixed by {@code prefix}. */
    String mermaid(String prefix) {
        StringBuilder out = new StringBuilder();
        for (S state : states.getEnumConstants()) {
            out.append("        %s%s : %s%n".formatted(prefix, state, state));
        }
        out.append("        [*] --> %s%s%n".formatted(prefix, states.getEnumConstants()[0]));
        for (S from : states.getEnumConstants()) {
            Map<S, List<String>> edges = new LinkedHashMap<>();
            for (E event : events.getEnumConstants()) {
                move(from, event)
                        .ifPresent(to -> edges.computeIfAbsent(to, any -> new ArrayList<>())
                                .add(event.name()));
            }
            edges.forEach((to, names) -> out.append(
                    "        %s%s --> %s%s : %s%n".formatted(prefix, from, prefix, to, String.join("<br/>", names))));
        }
        return out.toString().replace("\r", "");
    }

    /** Collects the cells; a cell that is not named is an event that does not occur. */
    static final class Builder<S extends Enum<S>, E extends Enum<E>> {
        private final Class<S> states;
        private final Class<E> events;
        private final Map<S, Map<E, S>> moves;
        private final Map<S, Set<E>> ignored;

        private Builder(Class<S> states, Class<E> events) {
            this.states = states;
            this.events = events;
            moves = new EnumMap<>(states);
            ignored = new EnumMap<>(states);
        }

        Builder<S, E> move(S from, E event, S to) {
            if (moves.computeIfAbsent(from, any -> new EnumMap<>(events)).put(event, to) != null) {
                throw new IllegalArgumentException(from + " handles " + event + " twice");
            }
            return this;
        }

        @SafeVarargs
        @SuppressWarnings("varargs") // the array is only read
        final Builder<S, E> ignore(S state, E... those) {
            ignored.computeIfAbsent(state, any -> EnumSet.noneOf(events)).addAll(List.of(those));
            return this;
        }

        /** Adds a transition from every state in which the event is not handled otherwise. */
        Builder<S, E> everywhere(E event, S to) {
            for (S state : states.getEnumConstants()) {
                moves.computeIfAbsent(state, any -> new EnumMap<>(events)).putIfAbsent(event, to);
            }
            return this;
        }

        StateTable<S, E> build() {
            return new StateTable<>(this);
        }
    }
}
