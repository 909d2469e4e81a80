package io.verbena.verbs;

import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Statistics of one CQ handler, or of the handlers of one CQ. Times are in nanoseconds.
 *
 * @param events number of runs of the handler
 * @param completions number of entries polled during these runs
 * @param failures number of runs that threw an exception
 * @param toHandlerNs time from the signal to the start of the handler, by percentile. A value may be up to one eighth
 *     too high; the value of percentile 100, the maximum, is exact. Empty before the first event
 * @param inHandlerNs total time in the handler
 * @param inHandlerMaxNs longest run
 */
public record HandlerFigures(
        long events,
        long completions,
        long failures,
        SortedMap<Double, Long> toHandlerNs,
        long inHandlerNs,
        long inHandlerMaxNs) {

    /** Copies the map. */
    public HandlerFigures {
        toHandlerNs = new TreeMap<>(toHandlerNs);
    }

    /** Median time from the signal to the handler; 0 before the first event. */
    public long toHandlerMedianNs() {
        return toHandlerNs(50);
    }

    /** 99th percentile of the time from the signal to the handler; 0 before the first event. */
    public long toHandlerP99Ns() {
        return toHandlerNs(99);
    }

    /** Maximum time from the signal to the handler; 0 before the first event. */
    public long toHandlerMaxNs() {
        return toHandlerNs(100);
    }

    /** The value of the smallest recorded percentile that is not below this one. */
    private long toHandlerNs(double percentile) {
        SortedMap<Double, Long> above = toHandlerNs.tailMap(percentile);
        return above.isEmpty() ? 0 : above.sequencedValues().getFirst();
    }

    /** Mean number of completions per event; 0 before the first event. */
    public double completionsPerEvent() {
        return events == 0 ? 0 : (double) completions / events;
    }
}
