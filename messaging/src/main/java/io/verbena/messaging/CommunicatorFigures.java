package io.verbena.messaging;

/**
 * Figures of a communicator at one rank, since it was made.
 *
 * @param size number of ranks
 * @param operations its collective operations
 * @param agreements that this rank has started
 */
public record CommunicatorFigures(int size, Operations operations, long agreements) {

    /**
     * Collective operations with a schedule.
     *
     * @param started operations that were started
     * @param completed operations that have succeeded here
     * @param failed operations that have failed here
     * @param bytes of the vectors or blocks of the operations that have succeeded
     * @param steps that their schedules have executed: sends, receives, copies and reductions
     */
    public record Operations(long started, long completed, long failed, long bytes, long steps) {}
}
