package io.verbena.storage.host;

import io.verbena.base.StateCounter;

/**
 * The commands of a host by their states. Read by another thread, the numbers of several states may be of different
 * moments.
 */
public final class BlockCommandCounts {
    private final StateCounter<BlockCommandState, BlockCommandState.Event> states =
            new StateCounter<>(BlockCommandState.TABLE, BlockCommandState.class);

    BlockCommandCounts(int commands) {
        states.added(BlockCommandState.FREE, commands);
    }

    void on(BlockCommand command, BlockCommandState.Event event) {
        command.state(states.on(command.state(), event));
    }

    /** How many commands are in a state. */
    public int now(BlockCommandState state) {
        return states.now(state);
    }

    /** How many times a command has entered a state. */
    public long entered(BlockCommandState state) {
        return states.entered(state);
    }
}
