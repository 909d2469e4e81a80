package io.verbena.verbs;

import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a CQ handler has done so far, or what handlers have done for one CQ. Times are in nanoseconds.
 *
 * @param events times a handler ran
 * @param completions entries polled while it ran
 * @param failures times it threw
 * @param toHandlerNs time from the signal to the handler by percentile: of so many in a hundred events no longer, up to an
 *     eighth more; 100 is the longest, exactly. Empty before the first event
 * @param inHandlerNs time in the handler, all runs together
 * @param inHandlerMaxNs longest run
 */
public record HandlerFigures(
        long events,
        long completions,
        long failures,
        SortedMap<Double, Long> toHandlerNs,
        long inHandlerNs,
        long inHandlerMaxNs) {

    /** Keeps its own copy. */
    public HandlerFigures {
        toHandlerNs = new TreeMap<>(toHandlerNs);
    }

    /** Half of the events were at their handler after this time; 0 before the first. */
    public long toHandlerMedianNs() {
        return toHandlerNs(50);
    }

    /** 99 of a hundred events were at their handler after this time; 0 before the first. */
    public long toHandlerP99Ns() {
        return toHandlerNs(99);
    }

    /** The longest time from a signal to its handler; 0 before the first event. */
    public long toHandlerMaxNs() {
        return toHandlerNs(100);
    }

    /** The time of the smallest percentile told of that is not below this one. */
    private long toHandlerNs(double percentile) {
        SortedMap<Double, Long> above = toHandlerNs.tailMap(percentile);
        return above.isEmpty() ? 0 : above.sequencedValues().getFirst();
    }

    /** Completions an event; 0 before the first event. */
    public double completionsAnEvent() {
        return events == 0 ? 0 : (double) completions / events;
    }
}
