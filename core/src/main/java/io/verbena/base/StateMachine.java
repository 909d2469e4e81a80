package io.verbena.base;

/** The current state of one machine; only its table changes it. */
public final class StateMachine<S extends Enum<S>, E extends Enum<E>> {
    private final TransitionTable<S, E> table;
    private S state;

    /** A machine in its first state. */
    public StateMachine(TransitionTable<S, E> table, S first) {
        this.table = table;
        this.state = first;
    }

    /** The current state. */
    public S state() {
        return state;
    }

    /** Applies an event. Returns whether it led to a state; false if it is ignored in the current one. */
    public boolean on(E event) {
        return switch (table.answer(state, event)) {
            case TransitionTable.Answer.Go<S>(S next) -> {
                state = next;
                yield true;
            }
            case TransitionTable.Answer.Ignore<S>() -> false;
            case TransitionTable.Answer.Misuse<S>(String sentence) -> throw new IllegalStateException(sentence);
            case TransitionTable.Answer.Never<S>() -> {
                assert false : event + " in state " + state;
                yield false;
            }
        };
    }
}
