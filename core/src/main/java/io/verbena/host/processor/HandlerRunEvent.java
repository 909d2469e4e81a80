package io.verbena.host.processor;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** One run of a CQ handler, for the flight recorder. Disabled unless a recording enables it. */
@Name("io.verbena.HandlerRun")
@Label("CQ Handler Run")
@Category({"Verbena", "Notification"})
@Description("A CQ handler ran for one event.")
@Enabled(false)
@StackTrace(false)
public final class HandlerRunEvent extends Event {

    /** Used to check whether the event is enabled, without an object per run. */
    private static final HandlerRunEvent ASKED = new HandlerRunEvent();

    @Label("Handler Identification")
    int handler;

    @Label("Completion Queue")
    int completionQueue;

    @Label("Time to Handler")
    @Timespan(Timespan.NANOSECONDS)
    long toHandler;

    @Label("Time in Handler")
    @Timespan(Timespan.NANOSECONDS)
    long inHandler;

    @Label("Completions")
    long completions;

    public static void tell(int handler, int cq, long toHandlerNs, long inHandlerNs, long completions) {
        if (!ASKED.isEnabled()) {
            return;
        }
        HandlerRunEvent event = new HandlerRunEvent();
        event.handler = handler;
        event.completionQueue = cq;
        event.toHandler = toHandlerNs;
        event.inHandler = inHandlerNs;
        event.completions = completions;
        event.commit();
    }
}
