package io.verbena.fabric.endnode;

import static io.verbena.verbs.Figure.counter;

import io.verbena.fabric.link.LinkCounters;
import io.verbena.verbs.Figure;
import io.verbena.verbs.Figures;
import java.util.List;

/** The counters of the ports of a fabric under the names of docs/observing.md, for the forms that monitoring systems read. */
public final class LinkMetrics {

    static final Figure FLITS = counter(
            "verbena.fabric_port.flits",
            "{flit}",
            "event",
            "Flits of data: sent for the first time, resent, received intact and in order, damaged on arrival.");
    static final Figure FRAMES = counter(
            "verbena.fabric_port.frames",
            "{frame}",
            "direction",
            "Frames whose last flit was sent or received: transmit," + " receive.");
    static final Figure STALLED = counter(
            "verbena.fabric_port.stalled",
            "{tick}",
            "",
            "Ticks of the fabric in which the port had a flit to send and no lane of it had a credit.");

    private LinkMetrics() {}

    /** All definitions, in the order of the documentation. */
    public static List<Figure> all() {
        return List.of(FLITS, FRAMES, STALLED);
    }

    /**
     * These figures of one port.
     *
     * @param port number of the port among all of the fabric
     * @param number number of the port at its node
     */
    public static Figures of(LinkCounters counters, int port, int number) {
        return Figures.of("fabric_port")
                .identity("number", number)
                .value(FLITS, "sent", counters.flitsSent(port))
                .value(FLITS, "resent", counters.flitsResent(port))
                .value(FLITS, "received", counters.flitsReceived(port))
                .value(FLITS, "damaged", counters.flitsDamaged(port))
                .value(FRAMES, "transmit", counters.framesSent(port))
                .value(FRAMES, "receive", counters.framesReceived(port))
                .value(STALLED, counters.stalledTicks(port))
                .build();
    }
}
