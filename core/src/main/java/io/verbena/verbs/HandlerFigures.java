package io.verbena.verbs;

/**
 * What a CQ handler has done so far. Times are in nanoseconds; percentiles are of a histogram with steps of an eighth.
 *
 * @param events times it ran
 * @param completions entries polled from its CQs while it ran
 * @param failures times it threw
 * @param toHandlerMedianNs time from the signal to the handler: half of the events took no longer
 * @param toHandlerP99Ns 99 of a hundred took no longer
 * @param toHandlerMaxNs longest
 * @param inHandlerNs time in the handler, all runs together
 * @param inHandlerMaxNs longest run
 */
public record HandlerFigures(
        long events,
        long completions,
        long failures,
        long toHandlerMedianNs,
        long toHandlerP99Ns,
        long toHandlerMaxNs,
        long inHandlerNs,
        long inHandlerMaxNs) {

    /** Completions an event; 0 before the first event. */
    public double completionsAnEvent() {
        return events == 0 ? 0 : (double) completions / events;
    }
}
