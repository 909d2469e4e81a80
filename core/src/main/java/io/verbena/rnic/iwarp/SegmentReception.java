package io.verbena.rnic.iwarp;

import io.verbena.base.Slab;
import io.verbena.engine.RnicEngine;
import io.verbena.iwarp.IwarpStream;
import io.verbena.port.SegmentTaker;

/**
 * Receives from a {@link io.verbena.port.SegmentStream}: segments are placed in the order in which they arrive. The
 * stream keeps what is not taken, so nothing is held here, except bytes that were read before segments were delivered.
 */
final class SegmentReception extends Reception implements SegmentTaker {

    private long nowNs;

    /** Whether bytes in order were refused because memory was not available; the stream offers them again. */
    private boolean refused;

    SegmentReception(RnicEngine engine, ConnectionStream channel, IwarpStream rdma) {
        super(engine, channel, rdma);
    }

    @Override
    void begin(Slab slab, int from, int to, long timeNs) {
        channel().deliverSegments(to - from);
        super.begin(slab, from, to, timeNs);
    }

    @Override
    void resume(long timeNs) {
        super.resume(timeNs);
        if (refused) {
            refused = false;
            channel().wantReadable(true);
        }
    }

    @Override
    boolean blocked() {
        return refused || super.blocked();
    }

    @Override
    int receive(int byteBudget, long timeNs) {
        nowNs = timeNs;
        return channel().receive(this, byteBudget);
    }

    @Override
    public void onSegment(long streamOffset, Slab slab, int from, int to) {
        boolean inOrder = streamOffset <= rdma().nextOffset();
        rdma().onSegment(streamOffset, slab, from, to, nowNs);
        refused |= inOrder && rdma().takenTo() < streamOffset + (to - from);
    }

    @Override
    public long takenFrom() {
        return rdma().takenFrom();
    }

    @Override
    public long takenTo() {
        return rdma().takenTo();
    }

    @Override
    public boolean nextWithdrawn() {
        return rdma().nextWithdrawn();
    }

    @Override
    public long withdrawnFrom() {
        return rdma().withdrawnFrom();
    }

    @Override
    public long withdrawnTo() {
        return rdma().withdrawnTo();
    }

    @Override
    public void onInOrder(long streamOffset) {
        assert rdma().ending().isPresent() || streamOffset <= rdma().nextOffset()
                : "the stream acknowledges bytes that were not taken";
    }

    @Override
    long stateDigest() {
        return 2 * super.stateDigest() + (refused ? 1 : 0);
    }
}
