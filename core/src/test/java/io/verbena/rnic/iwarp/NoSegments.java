package io.verbena.rnic.iwarp;

import io.verbena.base.Slab;
import io.verbena.port.SegmentTaker;

/** Takes nothing. */
final class NoSegments implements SegmentTaker {

    @Override
    public void onSegment(long streamOffset, Slab slab, int from, int to) {}

    @Override
    public long takenFrom() {
        return 0;
    }

    @Override
    public long takenTo() {
        return 0;
    }

    @Override
    public void onInOrder(long streamOffset) {}
}
