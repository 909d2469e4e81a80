package io.verbena.base;

/** The current state of one machine, changed only according to its table. */
public final class StateMachine<S extends Enum<S>, E extends Enum<E>> {
    private final TransitionTable<S, E> table;
    private S state;

    /** Creates a machine in its initial state. */
    public StateMachine(TransitionTable<S, E> table, S first) {
        this.table = table;
        this.state = first;
    }

    /** The current state. */
    public S state() {
        return state;
    }

    /** Applies an event. Returns whether it led to a state; false if the current state ignores it. */
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
