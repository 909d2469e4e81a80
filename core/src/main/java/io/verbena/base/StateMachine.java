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
        TransitionTable.Answer<S> answer = table.answer(state, event);
        if (answer instanceof TransitionTable.Answer.Go<S>(S next)) {
            state = next;
            return true;
        }
        if (answer instanceof TransitionTable.Answer.Misuse<S>(String sentence)) {
            throw new IllegalStateException(sentence);
        }
        assert !(answer instanceof TransitionTable.Answer.Never<S>) : event + " in state " + state;
        return false;
    }
}
