package io.verbena.tools.holes;

import io.verbena.base.Slab;
import io.verbena.port.SegmentTaker;

/** Gives the segments of the TCP to the protocol of one end. */
class EndTaker implements SegmentTaker {

    private final HoleEnd end;
    private long nowNs;

    EndTaker(HoleEnd end) {
        this.end = end;
    }

    final void nowNs(long timeNs) {
        nowNs = timeNs;
    }

    final long nowNs() {
        return nowNs;
    }

    final HoleEnd end() {
        return end;
    }

    @Override
    public void onSegment(long streamOffset, Slab slab, int from, int to) {
        end.stream.onSegment(streamOffset, slab, from, to, nowNs);
    }

    @Override
    public final long takenFrom() {
        return end.stream.takenFrom();
    }

    @Override
    public final long takenTo() {
        return end.stream.takenTo();
    }

    @Override
    public boolean nextWithdrawn() {
        return end.stream.nextWithdrawn();
    }

    @Override
    public final long withdrawnFrom() {
        return end.stream.withdrawnFrom();
    }

    @Override
    public final long withdrawnTo() {
        return end.stream.withdrawnTo();
    }

    @Override
    public final void onInOrder(long streamOffset) {
        if (streamOffset > end.stream.nextOffset()) {
            throw new IllegalStateException("The TCP acknowledges bytes up to " + streamOffset
                    + ", and only those up to " + end.stream.nextOffset() + " were taken");
        }
    }
}
