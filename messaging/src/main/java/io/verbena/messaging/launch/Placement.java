package io.verbena.messaging.launch;

import io.verbena.messaging.start.JobStartException;

/**
 * What the environment of a rank says.
 *
 * @param rank number of this rank, 0 to {@code size - 1}
 * @param size number of ranks, 1 to 65,536
 * @param place where they meet
 */
public record Placement(int rank, int size, MeetingPlace place) {

    private static final int MAX_RANKS = 65_536;

    static Placement of(int rank, int size, MeetingPlace place) throws JobStartException {
        check(rank, size);
        // A board is there for a single rank too: its launcher waits for it.
        boolean alone = size == 1 && !(place instanceof MeetingPlace.Announced);
        return new Placement(rank, size, alone ? new MeetingPlace.Alone() : place);
    }

    static void check(int rank, int size) throws JobStartException {
        if (size < 1 || size > MAX_RANKS || rank < 0 || rank >= size) {
            throw new JobStartException("There is no rank " + rank + " in a job of " + size + " ranks.");
        }
    }
}
