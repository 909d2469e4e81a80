package io.verbena.port.capture;

import io.verbena.base.Slab;
import io.verbena.base.TransmitList;
import io.verbena.port.SegmentStream;
import io.verbena.port.SegmentTaker;
import io.verbena.port.SegmentTakerWrapper;
import io.verbena.wire.TcpTrace;
import java.io.IOException;

/**
 * Captures the segments of a stream: those of the peer in the order in which they arrive, with the sequence numbers of
 * their offsets, and only the ranges that were taken.
 */
final class CapturingSegmentStream extends CapturingStream implements SegmentStream {

    private final SegmentStream inner;
    private final Intake intake = new Intake();

    CapturingSegmentStream(SegmentStream inner, Capture.Recording recording, TcpTrace.Side near) {
        super(inner, recording, near);
        this.inner = inner;
    }

    @Override
    public void deliverSegments(long firstOffset) {
        recording().segmentsBegin(far(), firstOffset);
        inner.deliverSegments(firstOffset);
    }

    @Override
    public int receive(SegmentTaker taker, int byteBudget) throws IOException {
        intake.owner(taker);
        int count = moved(() -> inner.receive(intake, byteBudget));
        if (count == END) {
            onFarEnd();
        }
        return count;
    }

    @Override
    public int segmentBytes() {
        return inner.segmentBytes();
    }

    @Override
    public int write(TransmitList list) throws IOException {
        return super.write(list);
    }

    /** Between the TCP inside and the owner of this stream. */
    private final class Intake extends SegmentTakerWrapper {
        @Override
        public void onSegment(long streamOffset, Slab slab, int from, int to) {
            owner().onSegment(streamOffset, slab, from, to);
            int count = (int) (takenTo() - takenFrom());
            if (count > 0) {
                int start = from + (int) (takenFrom() - streamOffset);
                recording().segment(far(), takenFrom(), slab.range(from, to), start, count);
            }
        }
    }
}
