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

/** One engine at one moment, for the flight recorder. */
@Name("io.verbena.EngineStatistics")
@Label("Engine Statistics")
@Category({"Verbena", "Statistics"})
@Description("What an engine of an RNIC has done since the RNIC was opened.")
@Period("10 s")
@StackTrace(false)
final class EngineStatisticsEvent extends Event {

    @Label("RNIC")
    int rnic;

    @Label("Engine")
    String engine = "";

    @Label("State")
    String state = "";

    @Label("Endpoints")
    long endpoints;

    @Label("Rounds with Work")
    long rounds;

    @Label("Parks")
    long parks;

    @Label("Time in Rounds with Work")
    @Timespan(Timespan.NANOSECONDS)
    long busy;

    static void emit(int rnic, Figures engine) {
        EngineStatisticsEvent event = new EngineStatisticsEvent();
        event.rnic = rnic;
        event.engine = engine.identity().getOrDefault("number", "");
        event.state = engine.texts().getOrDefault("state", "");
        event.endpoints = engine.number(RnicFigures.ENDPOINTS);
        event.rounds = engine.number(RnicFigures.ROUNDS);
        event.parks = engine.number(RnicFigures.PARKS);
        event.busy = engine.number(RnicFigures.BUSY);
        event.commit();
    }
}
