package io.verbena.host;

import io.verbena.verbs.Figures;
import io.verbena.verbs.RnicFigures;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** One CQ at one moment, for the flight recorder. */
@Name("io.verbena.CompletionQueueStatistics")
@Label("Completion Queue Statistics")
@Category({"Verbena", "Statistics"})
@Description("How full a completion queue is, and what was polled since it was created.")
@Period("10 s")
@StackTrace(false)
final class CompletionQueueStatisticsEvent extends Event {

    @Label("RNIC")
    int rnic;

    @Label("Completion Queue")
    String completionQueue = "";

    @Label("Entries")
    long entries;

    @Label("Highest Number of Entries")
    long highestEntries;

    @Label("Maximum Number of Entries")
    long entryLimit;

    @Label("Polled Entries")
    long polled;

    @Label("Handler Runs")
    long handlerRuns;

    @Label("Time in Handlers")
    @Timespan(Timespan.NANOSECONDS)
    long inHandlers;

    static void emit(int rnic, Figures cq) {
        CompletionQueueStatisticsEvent event = new CompletionQueueStatisticsEvent();
        event.rnic = rnic;
        event.completionQueue = cq.identity().getOrDefault("number", "");
        event.entries = cq.number(RnicFigures.ENTRIES);
        event.highestEntries = cq.number(RnicFigures.ENTRIES_HIGHEST);
        event.entryLimit = cq.number(RnicFigures.ENTRY_LIMIT);
        event.polled = cq.number(RnicFigures.POLLED);
        event.handlerRuns = cq.number(RnicFigures.HANDLER_RUNS);
        event.inHandlers = cq.number(RnicFigures.HANDLER_TIME);
        event.commit();
    }
}
