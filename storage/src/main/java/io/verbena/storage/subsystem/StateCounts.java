package io.verbena.storage.subsystem;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

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
        private final int[] now = new int[CommandState.values().length];
        private final long[] entered = new long[now.length];

        /** There is another command. */
        void added() {
            now[CommandState.FREE.ordinal()]++;
        }

        /** A command moves, which is a bug if its state does not allow that. */
        void on(Command command, CommandState.Event event) {
            CommandState from = command.state();
            CommandState to = CommandState.TABLE.next(from, event);
            now[from.ordinal()]--;
            now[to.ordinal()]++;
            entered[to.ordinal()]++;
            command.state(to);
        }

        int now(CommandState state) {
            return now[state.ordinal()];
        }

        StateCounts counts() {
            return new StateCounts(
                    IntStream.of(now).boxed().toList(),
                    LongStream.of(entered).boxed().toList());
        }
    }
}
