package io.verbena.tools.holes;

import io.verbena.iwarp.early.HoleFigures;
import java.util.List;

/**
 * The result of a transfer, all of whose bytes and completions were verified.
 *
 * @param traffic what was transferred
 * @param kept segments after a hole that the stream did not take
 * @param inOrder a receiver that waits for order
 * @param figures figures of the stream
 * @param closed the holes in the order in which they closed
 * @param samples the receiver over time
 */
public record HoleResult(
        Traffic traffic,
        Kept kept,
        InOrder inOrder,
        HoleFigures figures,
        List<ClosedHole> closed,
        List<HoleSample> samples) {

    /**
     * What was transferred.
     *
     * @param streamBytes bytes of the stream, with the headers of its frames
     * @param segments segments with data that arrived
     * @param lost packets that were lost
     * @param durationNs virtual time
     * @param sends Sends that completed
     */
    public record Traffic(long streamBytes, int segments, int lost, long durationNs, int sends) {}

    /**
     * Segments after a hole that the stream did not take.
     *
     * @param refused segments after a hole that were not taken, or only in part: TCP keeps the rest until the hole has closed
     * @param copiedBytes bytes that the TCP copied because they were not taken when they arrived
     * @param mostKeptBytes maximum number of bytes of such segments and in scraps
     */
    public record Kept(int refused, long copiedBytes, long mostKeptBytes) {}

    /**
     * A receiver that waits for order, for comparison.
     *
     * @param afterHolesBytes bytes that arrived after a hole: a receiver that waits for order copies them once more
     * @param mostWaitingBytes maximum number of bytes that such a receiver would have buffered
     */
    public record InOrder(long afterHolesBytes, long mostWaitingBytes) {}

    /** Share of the bytes that arrived after a hole and were taken at once, 0 to 1; 1 if there were none. */
    public double takenAtOnce() {
        return figures.arrivedBytes() == 0 ? 1 : (double) figures.takenBytes() / figures.arrivedBytes();
    }

    /** Bytes copied more than in order, per byte of the stream. */
    public double copiesPerByte() {
        return (double) (figures.scrapCopies() + kept.copiedBytes()) / traffic.streamBytes();
    }

    /** The same for a receiver that waits for order. */
    public double waitingCopiesPerByte() {
        return (double) inOrder.afterHolesBytes() / traffic.streamBytes();
    }
}
