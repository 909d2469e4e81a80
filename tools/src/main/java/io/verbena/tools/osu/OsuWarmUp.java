package io.verbena.tools.osu;

import io.verbena.messaging.Collectives;
import io.verbena.messaging.Communicator;
import io.verbena.messaging.collective.ElementType;
import io.verbena.messaging.collective.PredefinedReduction;
import io.verbena.tools.perf.CpuTime;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.IntConsumer;

/**
 * Runs an operation unmeasured until the JVM executes it as fast as it will: until the compilers of all ranks are quiet and two windows in a
 * row take about as long as the shortest one. All ranks run the same windows, since they decide by values that they have combined.
 */
public final class OsuWarmUp {

    /** In place of a duration. */
    public static final long UNTIL_STEADY = -1;

    private static final long WINDOW_NS = 150_000_000;
    private static final long MOST_NS = 6_000_000_000L;
    private static final int QUIET_PART = 20;
    private static final double AGREED = 1.1;
    private static final int GROWTH = 4;

    private final Communicator world;
    private final IntConsumer operation;
    private final MemorySegment values = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG, 2);

    /**
     * Of an operation.
     *
     * @param operation executes it as often as its argument says, at all ranks
     */
    OsuWarmUp(Communicator world, IntConsumer operation) {
        this.world = world;
        this.operation = operation;
    }

    /** Runs it for a time, or {@link #UNTIL_STEADY}. */
    void run(long durationNs) {
        operation.accept(1); // connects the ranks
        long mostNs = durationNs == UNTIL_STEADY ? MOST_NS : durationNs;
        int count = 1;
        int agreed = 0;
        double best = Double.MAX_VALUE;
        long tookNs = 0;
        while (tookNs < mostNs && agreed < 2) {
            boolean quiet = window(count);
            long windowNs = values.get(ValueLayout.JAVA_LONG, 0);
            tookNs += windowNs;
            double each = (double) windowNs / count;
            boolean steady = windowNs >= WINDOW_NS && quiet && each <= best * AGREED;
            agreed = durationNs == UNTIL_STEADY && steady ? agreed + 1 : 0;
            best = Math.min(best, each);
            if (windowNs < WINDOW_NS) {
                long wanted = (long) (WINDOW_NS * 1.5 / each) + 1;
                count = (int) Math.min(wanted, (long) GROWTH * count);
            }
        }
    }

    /** Runs a window, and stores what it took at the slowest rank; returns whether no compiler had much to do meanwhile. */
    private boolean window(int count) {
        long compilerNs = CpuTime.compilerNs();
        long startNs = System.nanoTime();
        operation.accept(count);
        values.set(ValueLayout.JAVA_LONG, 0, System.nanoTime() - startNs);
        values.setAtIndex(ValueLayout.JAVA_LONG, 1, CpuTime.compilerNs() - compilerNs);
        world.collectives().allreduce(Collectives.IN_PLACE, values, ElementType.LONG, PredefinedReduction.MAX);
        return values.getAtIndex(ValueLayout.JAVA_LONG, 1) * QUIET_PART < values.get(ValueLayout.JAVA_LONG, 0);
    }
}
