package io.verbena.port.faults;

import io.verbena.base.RandomSource;
import io.verbena.port.ByteStream;
import io.verbena.port.LoopWrapper;
import io.verbena.port.StreamLoop;
import io.verbena.port.StreamWrapper;
import java.util.ArrayList;
import java.util.List;

/**
 * A loop whose streams have faults. The thread that drives the inner loop also calls {@link #turn}, which ends delays.
 */
public final class FaultyLoop extends LoopWrapper {

    /** Result of {@link #nextDeadlineNs} if nothing is delayed. */
    public static final long NEVER = Long.MAX_VALUE;

    private final FaultPlan plan;
    private final RandomSource random;
    private final List<FaultyStream> waiting = new ArrayList<>();
    private final List<FaultyStream> due = new ArrayList<>();
    private long nowNs;

    /**
     * Creates a loop that adds the faults of a plan to the streams of {@code inner}.
     *
     * @param random source of the decisions; one number is drawn for each direction of a stream
     * @param nowNs the time until the first turn
     */
    public FaultyLoop(StreamLoop inner, FaultPlan plan, RandomSource random, long nowNs) {
        super(inner);
        this.plan = plan;
        this.random = random;
        this.nowNs = nowNs;
    }

    @Override
    protected StreamWrapper wrap(ByteStream stream, boolean initiator) {
        return new FaultyStream(stream, plan, random);
    }

    /** Advances the time and notifies streams whose delay has expired. Returns their number. */
    public int turn(long timeNs) {
        nowNs = timeNs;
        if (waiting.isEmpty()) {
            return 0;
        }
        for (int i = waiting.size() - 1; i >= 0; i--) {
            FaultyStream stream = waiting.get(i);
            if (stream.wakeAtNs - timeNs <= 0) {
                waiting.remove(i);
                stream.waiting = false;
                due.add(stream);
            }
        }
        int reported = due.size();
        for (FaultyStream stream : due) {
            stream.onTime();
        }
        due.clear();
        return reported;
    }

    /** The time at which {@link #turn} has work, or {@link #NEVER}. */
    public long nextDeadlineNs() {
        if (waiting.isEmpty()) {
            return NEVER;
        }
        long first = waiting.getFirst().wakeAtNs;
        for (FaultyStream stream : waiting) {
            if (stream.wakeAtNs - first < 0) {
                first = stream.wakeAtNs;
            }
        }
        return first;
    }

    long nowNs() {
        return nowNs;
    }

    void wakeAt(FaultyStream stream, long timeNs) {
        if (!stream.waiting) {
            stream.waiting = true;
            stream.wakeAtNs = timeNs;
            waiting.add(stream);
        } else if (timeNs - stream.wakeAtNs < 0) {
            stream.wakeAtNs = timeNs;
        }
    }

    void forget(FaultyStream stream) {
        if (stream.waiting) {
            stream.waiting = false;
            waiting.remove(stream);
        }
    }
}
