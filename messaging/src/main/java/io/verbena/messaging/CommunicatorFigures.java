package io.verbena.messaging;

/**
 * Figures of a communicator at one rank, since it was made.
 *
 * @param size number of ranks
 * @param started collective operations that were started
 * @param completed collective operations that have succeeded here
 * @param failed collective operations that have failed here
 * @param bytes of the vectors or blocks of the operations that have succeeded
 * @param steps that their schedules have executed: sends, receives, copies and reductions
 * @param agreements that this rank has started
 */
public record CommunicatorFigures(
        int size, long started, long completed, long failed, long bytes, long steps, long agreements) {}
