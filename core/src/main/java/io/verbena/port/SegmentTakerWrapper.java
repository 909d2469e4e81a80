package io.verbena.port;

import org.jspecify.annotations.Nullable;

/** A taker between a stream and its owner, within a call of receive; forwards everything. */
public abstract class SegmentTakerWrapper implements SegmentTaker {

    private @Nullable SegmentTaker owner;

    /** The taker of the current call of receive. */
    public final void owner(SegmentTaker taker) {
        owner = taker;
    }

    public final SegmentTaker owner() {
        SegmentTaker currentOwner = owner;
        if (currentOwner == null) {
            throw new IllegalStateException("segments are delivered within a call of receive only");
        }
        return currentOwner;
    }

    @Override
    public long takenFrom() {
        return owner().takenFrom();
    }

    @Override
    public long takenTo() {
        return owner().takenTo();
    }

    @Override
    public boolean nextWithdrawn() {
        return owner().nextWithdrawn();
    }

    @Override
    public long withdrawnFrom() {
        return owner().withdrawnFrom();
    }

    @Override
    public long withdrawnTo() {
        return owner().withdrawnTo();
    }

    @Override
    public void onInOrder(long streamOffset) {
        owner().onInOrder(streamOffset);
    }
}
