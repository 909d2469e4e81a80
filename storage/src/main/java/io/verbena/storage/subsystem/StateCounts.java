package io.verbena.storage.subsystem;

import io.verbena.base.StateCounter;
import java.util.List;

/**
 * The commands of a queue by their states.
 *
 * @param now how many are in each state, in the order of the states
 * @param entered how many times a command has entered it
 */
public record StateCounts(List<Integer> now, List<Long> entered) {
    /** Copies the lists. */
    public StateCounts {
        now = List.copyOf(now);
        entered = List.copyOf(entered);
    }

    /** How many commands are in a state. */
    public int now(CommandState state) {
        return now.get(state.ordinal());
    }

    /** How many times a command has entered a state. */
    public long entered(CommandState state) {
        return entered.get(state.ordinal());
    }

    /** Counts while commands move. One thread. */
    static final class Counter {
        private final StateCounter<CommandState, CommandState.Event> counter =
                new StateCounter<>(CommandState.TABLE, CommandState.class);

        /** There is another command. */
        void added() {
            counter.added(CommandState.FREE, 1);
        }

        /** A command moves, which is a bug if its state does not allow that. */
        void on(Command command, CommandState.Event event) {
            command.state(counter.on(command.state(), event));
        }

        int now(CommandState state) {
            return counter.now(state);
        }

        StateCounts counts() {
            List<CommandState> states = List.of(CommandState.values());
            return new StateCounts(
                    states.stream().map(counter::now).toList(),
                    states.stream().map(counter::entered).toList());
        }
    }
}
