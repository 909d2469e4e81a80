package io.verbena.port.faults;

import io.verbena.base.RandomSource;
import io.verbena.base.Times;
import io.verbena.port.ByteStream;
import io.verbena.port.LoopWrapper;
import io.verbena.port.SegmentStream;
import io.verbena.port.StreamLoop;
import io.verbena.port.StreamWrapper;
import java.util.ArrayList;
import java.util.List;

/**
 * A loop whose streams deliver segments late, repeatedly and out of order. The streams of the inner loop must be
 * {@link SegmentStream segment streams}. The thread that drives the inner loop also calls {@link #turn}, which ends
 * delays.
 */
public final class FaultySegmentLoop extends LoopWrapper {

    /** Result of {@link #nextDeadlineNs} if nothing is delayed. */
    public static final long NEVER = Times.NEVER;

    private final SegmentFaults plan;
    private final RandomSource random;
    private final List<FaultySegmentStream> attached = new ArrayList<>();
    private long nowNs;

    /**
     * Creates a loop that adds the faults of a plan to the streams of {@code inner}.
     *
     * @param random source of the decisions; one number is drawn for each stream
     * @param nowNs the time until the first turn
     */
    public FaultySegmentLoop(StreamLoop inner, SegmentFaults plan, RandomSource random, long nowNs) {
        super(inner);
        this.plan = plan;
        this.random = random;
        this.nowNs = nowNs;
    }

    @Override
    protected StreamWrapper wrap(ByteStream stream, boolean initiator) {
        if (!(stream instanceof SegmentStream segments)) {
            throw new IllegalArgumentException(
                    stream + " delivers bytes in order only: use FaultyLoop for faults of byte streams");
        }
        return new FaultySegmentStream(segments, plan, random.nextLong());
    }

    /** Advances the time and reports streams whose delayed segments can be delivered. Returns their number. */
    public int turn(long timeNs) {
        nowNs = timeNs;
        int due = 0;
        for (FaultySegmentStream stream : List.copyOf(attached)) {
            if (stream.turn(timeNs)) {
                due++;
            }
        }
        return due;
    }

    /** The time at which {@link #turn} has work, or {@link #NEVER}. */
    public long nextDeadlineNs() {
        long next = NEVER;
        for (FaultySegmentStream stream : attached) {
            next = Times.earlier(next, stream.nextDeadlineNs());
        }
        return next;
    }

    long nowNs() {
        return nowNs;
    }

    void watch(FaultySegmentStream stream) {
        attached.add(stream);
    }

    void forget(FaultySegmentStream stream) {
        attached.remove(stream);
    }
}
