package io.verbena.fabric.link;

import java.util.List;

/**
 * How the lanes of a port share its link: two tables of lanes and weights, as of InfiniBand's VLArbitrationTable, and lanes
 * with a guaranteed rate.
 *
 * @param high served first; empty if all lanes are equal
 * @param low served when no lane of {@code high} has a flit, or when {@code limit} flits of {@code high} were sent while a
 *     lane of {@code low} waited
 * @param limit see {@code low}; {@link #UNLIMITED} means no limit
 * @param isochronous lanes that are served before all others, up to their rate
 */
public record LaneTables(List<Weight> high, List<Weight> low, int limit, List<Isochronous> isochronous) {

    /** All lanes in turn, a flit of each. */
    public static final LaneTables EQUAL = new LaneTables(List.of(), List.of(), Integer.MAX_VALUE, List.of());

    /** No limit for the lanes of the high table. */
    public static final int UNLIMITED = Integer.MAX_VALUE;

    /** An entry of a table: up to {@code flits} flits of {@code lane} before the next entry is served. */
    public record Weight(int lane, int flits) {
        /** Checks the values. */
        public Weight {
            if (lane < 0 || lane > 14 || flits < 0 || flits > 255) {
                throw new IllegalArgumentException(
                        "lane " + lane + " with weight " + flits + ": lanes are 0 to 14, weights 0 to 255");
            }
        }
    }

    /** A lane that may send {@code flits} flits in every period before all other lanes, and none beyond these. */
    public record Isochronous(int lane, int flits, int periodTicks) {
        /** Checks the values. */
        public Isochronous {
            if (lane < 0 || lane > 14 || flits < 1 || periodTicks < 1) {
                throw new IllegalArgumentException("isochronous lane " + lane + " with " + flits + " flits per "
                        + periodTicks + " ticks: lanes are 0 to 14, the other values 1 or more");
            }
        }
    }

    /** Copies the lists and checks the limit. */
    public LaneTables {
        high = List.copyOf(high);
        low = List.copyOf(low);
        isochronous = List.copyOf(isochronous);
        if (limit < 0) {
            throw new IllegalArgumentException("limit " + limit + " of the high table: must be 0 or more");
        }
    }

    /** Whether the lanes take turns and need no tables. */
    boolean isEqual() {
        return high.isEmpty() && low.isEmpty() && isochronous.isEmpty();
    }
}
