package io.verbena.port.faults;

import io.verbena.base.Digest;
import io.verbena.base.Slab;
import io.verbena.base.Times;
import io.verbena.base.TransmitList;
import io.verbena.port.LoopWrapper;
import io.verbena.port.SegmentStream;
import io.verbena.port.SegmentTaker;
import io.verbena.port.SegmentTakerWrapper;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamWrapper;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * A stream whose arriving segments are delayed and repeated according to a {@link SegmentFaults} plan. Created by
 * {@link FaultySegmentLoop}, which runs its timers. A delayed segment is reported as not taken, so the TCP inside offers
 * it again. The decision about a byte depends on the seed and on its offset only.
 */
final class FaultySegmentStream extends StreamWrapper implements SegmentStream {

    private final SegmentStream inner;
    private final SegmentFaults plan;
    private final long seed;
    private final Intake intake = new Intake();
    private final Deque<Held> held = new ArrayDeque<>();
    private @Nullable FaultySegmentLoop loop;
    private @Nullable StreamEvents events;
    private long seen;

    /** A range of stream offsets that is not delivered before an instant. */
    private record Held(long from, long to, long untilNs) {}

    FaultySegmentStream(SegmentStream inner, SegmentFaults plan, long seed) {
        super(inner);
        this.inner = inner;
        this.plan = plan;
        this.seed = seed;
    }

    @Override
    protected StreamEvents attached(LoopWrapper faultyLoop, StreamEvents owner) {
        FaultySegmentLoop faultySegmentLoop = (FaultySegmentLoop) faultyLoop;
        loop = faultySegmentLoop;
        events = owner;
        faultySegmentLoop.watch(this);
        return owner;
    }

    @Override
    protected void detached() {
        FaultySegmentLoop from = loop;
        if (from != null) {
            from.forget(this);
        }
        loop = null;
        events = null;
    }

    @Override
    public void deliverSegments(long firstOffset) {
        seen = firstOffset;
        inner.deliverSegments(firstOffset);
    }

    @Override
    public int receive(SegmentTaker taker, int byteBudget) throws IOException {
        intake.owner(taker);
        return inner.receive(intake, byteBudget);
    }

    @Override
    public int segmentBytes() {
        return inner.segmentBytes();
    }

    @Override
    public boolean gathers() {
        return inner.gathers();
    }

    @Override
    public int write(TransmitList list) throws IOException {
        return inner.write(list);
    }

    /** Between the TCP inside and the owner of this stream. */
    private final class Intake extends SegmentTakerWrapper {
        private long takenFrom;
        private long takenTo;

        @Override
        public void onSegment(long streamOffset, Slab slab, int from, int to) {
            long end = streamOffset + (to - from);
            boolean repeat = end > seen && decide(Math.max(seen, streamOffset), end);
            long start = firstFree(streamOffset, end);
            long stop = nextHeld(start, end);
            takenFrom = streamOffset;
            takenTo = streamOffset;
            if (start < stop) {
                int first = from + (int) (start - streamOffset);
                int last = from + (int) (stop - streamOffset);
                owner().onSegment(start, slab, first, last);
                takenFrom = owner().takenFrom();
                takenTo = owner().takenTo();
                if (repeat) {
                    int half = (last - first) / 2;
                    owner().onSegment(start + half, slab, first + half, last);
                }
            }
        }

        @Override
        public long takenFrom() {
            return takenFrom;
        }

        @Override
        public long takenTo() {
            return takenTo;
        }
    }

    /** Decides about bytes that arrive for the first time; returns whether to repeat them. */
    private boolean decide(long from, long to) {
        seen = to;
        FaultySegmentLoop currentLoop = loop;
        if (currentLoop != null && happens(from, 1, plan.holdOneIn())) {
            long delayNs = (Digest.mix(seed, ~from) >>> 1) % (plan.maxHoldNs() + 1);
            held.addLast(new Held(from, to, Times.after(currentLoop.nowNs(), delayNs)));
        }
        return happens(from, 2, plan.repeatOneIn());
    }

    private boolean happens(long offset, int purpose, int oneIn) {
        return oneIn > 0 && (Digest.mix(Digest.mix(seed, purpose), offset) >>> 1) % oneIn == 0;
    }

    private long firstFree(long from, long end) {
        long at = from;
        for (Held each : held) {
            if (each.from() <= at && at < each.to()) {
                at = each.to();
            }
        }
        return Math.min(at, end);
    }

    private long nextHeld(long from, long end) {
        long stop = end;
        for (Held each : held) {
            if (each.from() >= from) {
                stop = Math.min(stop, each.from());
            }
        }
        return stop;
    }

    /** The time at which the first delay ends, or {@link FaultySegmentLoop#NEVER}. */
    long nextDeadlineNs() {
        long next = FaultySegmentLoop.NEVER;
        for (Held each : held) {
            next = Times.earlier(next, each.untilNs());
        }
        return next;
    }

    /** Ends the delays that are due. Returns whether there were any. */
    boolean turn(long nowNs) {
        StreamEvents owner = events;
        if (!held.removeIf(each -> Times.due(each.untilNs(), nowNs)) || owner == null) {
            return false;
        }
        owner.onReadable();
        return true;
    }
}
