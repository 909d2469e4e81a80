package io.verbena.messaging;

import static io.verbena.verbs.Figure.counter;
import static io.verbena.verbs.Figure.gauge;

import io.verbena.verbs.Figure;
import io.verbena.verbs.Figures;
import java.util.List;

/** The figures of communicators under the names of docs/observing.md, for the forms that monitoring systems read. */
public final class CommunicatorMetrics {

    static final Figure RANKS = gauge("verbena.communicator.ranks", "{rank}", "", "Number of ranks.");
    static final Figure OPERATIONS = counter(
            "verbena.communicator.operations",
            "{operation}",
            "result",
            "Collective operations that have ended at this rank: completed, failed.");
    static final Figure BYTES = counter(
            "verbena.communicator.io",
            "By",
            "",
            "Bytes of the vectors or blocks of the operations that have completed.");
    static final Figure STEPS = counter(
            "verbena.communicator.steps",
            "{step}",
            "",
            "Steps of schedules that were executed: sends, receives, copies, reductions.");
    static final Figure AGREEMENTS =
            counter("verbena.communicator.agreements", "{agreement}", "", "Agreements that this rank has started.");

    private CommunicatorMetrics() {}

    /** All definitions, in the order of the documentation. */
    public static List<Figure> all() {
        return List.of(RANKS, OPERATIONS, BYTES, STEPS, AGREEMENTS);
    }

    /**
     * These figures of one communicator.
     *
     * @param name a name of the communicator that no other one of the process has
     */
    public static Figures of(String name, CommunicatorFigures figures) {
        return Figures.of("communicator")
                .identity("name", name)
                .value(RANKS, figures.size())
                .value(OPERATIONS, "completed", figures.operations().completed())
                .value(OPERATIONS, "failed", figures.operations().failed())
                .value(BYTES, figures.operations().bytes())
                .value(STEPS, figures.operations().steps())
                .value(AGREEMENTS, figures.agreements())
                .build();
    }
}
