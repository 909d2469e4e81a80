package io.verbena.tools.holes;

import io.verbena.iwarp.early.HoleFigures;
import java.util.List;

/**
 * The result of a transfer, all of whose bytes and completions were verified.
 *
 * @param streamBytes bytes of the stream, with the headers of its frames
 * @param segments segments with data that arrived
 * @param lost packets that were lost
 * @param refused segments after a hole that were not taken, or only in part: TCP keeps the rest until the hole has closed
 * @param copiedBytes bytes that the TCP copied because they were not taken when they arrived
 * @param mostKeptBytes maximum number of bytes of such segments and in scraps
 * @param durationNs virtual time
 * @param sends Sends that completed
 * @param afterHolesBytes bytes that arrived after a hole: a receiver that waits for order copies them once more
 * @param mostWaitingBytes maximum number of bytes that such a receiver would have buffered
 * @param figures figures of the stream
 * @param closed the holes in the order in which they closed
 * @param samples the receiver over time
 */
public record HoleResult(
        long streamBytes,
        int segments,
        int lost,
        int refused,
        long copiedBytes,
        long mostKeptBytes,
        long durationNs,
        int sends,
        long afterHolesBytes,
        long mostWaitingBytes,
        HoleFigures figures,
        List<ClosedHole> closed,
        List<HoleSample> samples) {

    /** Share of the bytes that arrived after a hole and were taken at once, 0 to 1; 1 if there were none. */
    public double takenAtOnce() {
        return figures.arrivedBytes() == 0 ? 1 : (double) figures.takenBytes() / figures.arrivedBytes();
    }

    /** Bytes copied more than in order, per byte of the stream. */
    public double copiesPerByte() {
        return (double) (figures.scrapCopies() + copiedBytes) / streamBytes;
    }

    /** The same for a receiver that waits for order. */
    public double waitingCopiesPerByte() {
        return (double) afterHolesBytes / streamBytes;
    }
}
