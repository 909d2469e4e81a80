package io.verbena.base;

/**
 * Counts objects that move through one table: how many are in each state, and how many times one has entered it. One
 * thread moves them; another one that reads sees numbers of different moments.
 *
 * @param <S> the states
 * @param <E> the events
 */
public final class StateCounter<S extends Enum<S>, E extends Enum<E>> {
    private final TransitionTable<S, E> table;
    private final int[] now;
    private final long[] entered;

    /** Counts nothing yet. */
    public StateCounter(TransitionTable<S, E> table, Class<S> states) {
        this.table = table;
        now = new int[states.getEnumConstants().length];
        entered = new long[now.length];
    }

    /** There are more objects, in their first state. */
    public void added(S first, int objects) {
        now[first.ordinal()] += objects;
    }

    /**
     * An object moves.
     *
     * @return its new state
     * @throws IllegalStateException if its state does not allow that
     */
    public S on(S from, E event) {
        S to = table.next(from, event);
        now[from.ordinal()]--;
        now[to.ordinal()]++;
        entered[to.ordinal()]++;
        return to;
    }

    /** How many objects are in a state. */
    public int now(S state) {
        return now[state.ordinal()];
    }

    /** How many times an object has entered a state. */
    public long entered(S state) {
        return entered[state.ordinal()];
    }
}
