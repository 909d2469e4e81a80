package io.verbena.fabric.link;

import java.util.List;
import java.util.stream.IntStream;

/** Chooses the lane that sends the next flit of a port, by its {@link LaneTables}. One for each port whose lanes are not equal. */
final class LaneArbiter {

    /** No lane may send now. */
    static final int NONE = -1;

    /** A table and how far it has been served. */
    private static final class Table {
        private final int[] lanes;
        private final int[] weights;
        private int entry;
        private int left;

        Table(List<LaneTables.Weight> list) {
            List<LaneTables.Weight> served =
                    list.stream().filter(weight -> weight.flits() > 0).toList();
            lanes = served.stream().mapToInt(LaneTables.Weight::lane).toArray();
            weights = served.stream().mapToInt(LaneTables.Weight::flits).toArray();
            left = weights.length == 0 ? 0 : weights[0];
        }

        int lanes() {
            int mask = 0;
            for (int lane : lanes) {
                mask |= 1 << lane;
            }
            return mask;
        }

        /** The entry in turn, or the next one whose lane has a flit. */
        int pick(int ready) {
            for (int tried = 0; tried <= lanes.length; tried++) {
                if (left > 0 && (ready >> lanes[entry] & 1) != 0) {
                    left--;
                    return lanes[entry];
                }
                entry = entry + 1 == lanes.length ? 0 : entry + 1;
                left = weights[entry];
            }
            return NONE;
        }
    }

    private final boolean equal;
    private final Table high;
    private final Table low;
    private final int highLanes;
    private final int lowLanes;
    private final int limit;
    private final LaneTables.Isochronous[] isochronous;
    private final long[] period;
    private final int[] sentInPeriod;
    private int highInARow;
    private long nextPeriod = TimingWheel.NEVER;

    LaneArbiter(LaneTables tables) {
        equal = tables.isEqual();
        high = new Table(tables.high());
        low = new Table(tables.low());
        highLanes = high.lanes();
        lowLanes = low.lanes();
        limit = tables.limit();
        isochronous = tables.isochronous().toArray(LaneTables.Isochronous[]::new);
        period = new long[isochronous.length];
        sentInPeriod = new int[isochronous.length];
    }

    /** An arbiter for each port; none if the lanes of all take turns and need no tables. */
    static LaneArbiter[] forPorts(LaneTables tables, int ports) {
        return IntStream.range(0, tables.isEqual() ? 0 : ports)
                .mapToObj(port -> new LaneArbiter(tables))
                .toArray(LaneArbiter[]::new);
    }

    /** The arbiters with other tables at one port. Where there were none, the lanes of the other ports take turns. */
    static LaneArbiter[] with(LaneArbiter[] arbiters, int ports, int port, LaneTables tables) {
        LaneArbiter[] all = arbiters.length > 0
                ? arbiters
                : IntStream.range(0, ports)
                        .mapToObj(each -> new LaneArbiter(LaneTables.EQUAL))
                        .toArray(LaneArbiter[]::new);
        all[port] = new LaneArbiter(tables);
        return all;
    }

    /** Whether the lanes take turns and need no tables. */
    boolean isEqual() {
        return equal;
    }

    /** The lane of {@code ready}, a bit for each, that sends now, or {@link #NONE}; then {@link #nextPeriod} is when to ask again. */
    int pick(int ready, long now) {
        nextPeriod = TimingWheel.NEVER;
        int others = ready;
        for (int i = 0; i < isochronous.length; i++) {
            LaneTables.Isochronous stream = isochronous[i];
            if ((ready >> stream.lane() & 1) == 0) {
                continue;
            }
            others &= ~(1 << stream.lane());
            long current = now / stream.periodTicks();
            if (current != period[i]) {
                period[i] = current;
                sentInPeriod[i] = 0;
            }
            if (sentInPeriod[i] < stream.flits()) {
                sentInPeriod[i]++;
                return stream.lane();
            }
            nextPeriod = Math.min(nextPeriod, (current + 1) * stream.periodTicks());
        }
        return others == 0 ? NONE : byTables(others);
    }

    private int byTables(int ready) {
        boolean highReady = (ready & highLanes) != 0;
        boolean lowReady = (ready & lowLanes) != 0;
        if (highReady && (!lowReady || limit == LaneTables.UNLIMITED || highInARow < limit)) {
            highInARow = lowReady ? highInARow + 1 : 0;
            return high.pick(ready);
        }
        highInARow = 0;
        // A lane of neither table is served when the lanes of the tables are idle: a table with a gap must not stop a
        // frame.
        return lowReady ? low.pick(ready) : Integer.numberOfTrailingZeros(ready);
    }

    /** The tick at which an isochronous lane may send again; {@link TimingWheel#NEVER} if none waits for it. */
    long nextPeriod() {
        return nextPeriod;
    }
}
