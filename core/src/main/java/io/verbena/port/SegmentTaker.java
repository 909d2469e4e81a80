package io.verbena.port;

import io.verbena.base.Slab;

/**
 * Takes the segments of a {@link SegmentStream}, in any order: places their payload at once, and delivers in stream
 * order. Used within {@link SegmentStream#receive}.
 *
 * <p>A taker accepts any bytes at any offset: segments that overlap, that repeat bytes with different contents (the
 * first ones count), and that were cut elsewhere before.
 */
public interface SegmentTaker {

    /**
     * Takes a segment or a part of it. {@link #takenFrom} and {@link #takenTo} report the part: bytes in order and bytes
     * that were taken before, or one run of bytes after a hole, which may begin and end within a unit.
     *
     * @param streamOffset offset of the first byte; see {@link SegmentStream#deliverSegments}
     * @param slab contains the segment from {@code from} to {@code to}; its contents may change after the call
     */
    void onSegment(long streamOffset, Slab slab, int from, int to);

    /** First stream offset that the last {@link #onSegment} took. */
    long takenFrom();

    /** Stream offset after the bytes that the last {@link #onSegment} took; {@link #takenFrom} if it took none. */
    long takenTo();

    /**
     * Moves to the next range that the taker withdraws: it was taken after a hole, and is not any more. The stream calls this
     * after each {@link #onSegment} until it returns false, and before it adds the range that this call took. A stream never
     * acknowledges cumulatively what may still be withdrawn: a range is withdrawn at the latest when the bytes before it are in
     * order. If it was reported by SACK, this is the reneging that RFC 2018 section 8 permits. The stream offers it again.
     */
    default boolean nextWithdrawn() {
        return false;
    }

    /** First stream offset of the range of the last {@link #nextWithdrawn}. */
    default long withdrawnFrom() {
        return 0;
    }

    /** Stream offset after the range of the last {@link #nextWithdrawn}. */
    default long withdrawnTo() {
        return 0;
    }

    /** All bytes before this offset have been taken: reported after the segments of a call, when the offset advanced. */
    void onInOrder(long streamOffset);
}
