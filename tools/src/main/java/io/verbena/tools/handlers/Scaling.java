package io.verbena.tools.handlers;

import io.verbena.base.Times;
import io.verbena.sim.handlers.ProcessorCosts;
import io.verbena.sim.handlers.Routing;
import io.verbena.sim.handlers.ScalingModel;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.picture.Axis;
import io.verbena.tools.picture.LineChart;
import io.verbena.tools.picture.Unit;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.tools.text.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleSupplier;
import java.util.function.IntConsumer;

/**
 * How handlers scale with processors: costs measured here, one and two processors both measured and modelled, and the model
 * alone up to 64.
 *
 * @param costs what things cost on this machine
 * @param compared one and two processors
 * @param modelled 1 to 64 processors
 */
public record Scaling(ProcessorCosts costs, List<Compared> compared, List<Modelled> modelled) {

    private static final int[] PROCESSORS = {1, 2, 4, 8, 16, 32, 64};
    private static final int MEASURED_PROCESSORS = 2;
    // Both tables fit 80 columns.
    private static final Table COMPARED = new Table(
            new Table.Column("processors", 10, true),
            new Table.Column("handlers", 26, true),
            new Table.Column("measured", 11),
            new Table.Column("model", 11),
            new Table.Column("model/measured", 14));
    /** Limits the time of a measurement of a cache line, whose threads may share a core. */
    private static final long MOST_LINE_TIME_NS = 2_000_000_000;

    private static final Table MODELLED = new Table(
            new Table.Column("processors", 10, true),
            new Table.Column(Routing.ONE_HANDLER.words(), 12),
            new Table.Column(Routing.WANDERING.words(), 25),
            new Table.Column(Routing.BOUND.words(), 25));

    /**
     * A number of processors both ways.
     *
     * @param measured events a second, median of the rounds
     * @param model events a second
     */
    public record Compared(int processors, Routing routing, double measured, double model) {}

    /** Events a second, by the model. */
    public record Modelled(int processors, Routing routing, double model) {}

    /** Measures in rounds through everything, so that what else the machine does meets each alike; medians count. */
    public static Scaling measure(int rounds, Duration time, List<Integer> cores, StopSignal stop, IntConsumer step)
            throws InterruptedException, Failure {
        RealProcessors real = new RealProcessors(cores, stop);
        long lineTimeNs = 5 * Math.min(MOST_LINE_TIME_NS / 5, Times.nanos(time));
        Routing[] routings = Routing.values();
        double[] eventNs = new double[rounds];
        double[] workNs = new double[rounds];
        double[] signalNs = new double[rounds];
        double[] lineNs = new double[rounds];
        double[][][] measured = new double[MEASURED_PROCESSORS][routings.length][rounds];
        for (int round = -1; round < rounds; round++) { // the first is for the compiler
            int at = Math.max(0, round);
            eventNs[at] = 1e9 / real.eventsPerSecond(Routing.BOUND, 1, false, time);
            signalNs[at] = 2e9 / real.eventsPerSecond(Routing.WANDERING, 2, false, time) - eventNs[at];
            workNs[at] = EventCosts.workNs();
            lineNs[at] = EventCosts.lineNs(lineTimeNs);
            for (int processors = 1; processors <= MEASURED_PROCESSORS; processors++) {
                for (Routing routing : routings) {
                    measured[processors - 1][routing.ordinal()][at] =
                            real.eventsPerSecond(routing, processors, true, time);
                }
            }
            step.accept(at);
        }
        ProcessorCosts costs = new ProcessorCosts(
                median(eventNs),
                median(workNs),
                Math.max(0, median(signalNs)),
                median(lineNs),
                RealProcessors.OWN_LINES);
        return of(costs, (processors, routing) -> median(measured[processors - 1][routing.ordinal()]));
    }

    private interface Measured {
        double of(int processors, Routing routing);
    }

    private static Scaling of(ProcessorCosts costs, Measured measured) {
        List<Compared> compared = new ArrayList<>();
        List<Modelled> modelled = new ArrayList<>();
        for (int processors : PROCESSORS) {
            for (Routing routing : Routing.values()) {
                double model = ScalingModel.eventsPerSecond(costs, routing, processors);
                modelled.add(new Modelled(processors, routing, model));
                if (processors <= MEASURED_PROCESSORS) {
                    compared.add(new Compared(processors, routing, measured.of(processors, routing), model));
                }
            }
        }
        return new Scaling(costs, compared, modelled);
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    /** Tables for people, on a terminal of this width; 0 if there is none. */
    public List<String> lines(int width) {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "Costs here: an event %.0f ns, its work %.0f ns, a signal from another core %.0f ns, a cache line from"
                        + " there %.0f ns, %d lines per event.",
                costs.eventNs(),
                costs.workNs(),
                costs.signalNs(),
                costs.lineNs(),
                costs.lines()));
        lines.add("");
        lines.add(
                "Events per second, measured (by processor time, without the time that other programs take) and by the"
                        + " model:");
        lines.addAll(COMPARED.head(width));
        for (Compared each : compared) {
            lines.add(COMPARED.row(
                    width,
                    List.of(
                            String.valueOf(each.processors()),
                            each.routing().words(),
                            Figures.count(Math.round(each.measured())),
                            Figures.count(Math.round(each.model())),
                            String.format(Locale.ROOT, "%.2f", each.model() / each.measured()))));
        }
        lines.add("");
        lines.add("Events per second by the model, in virtual time:");
        lines.addAll(MODELLED.head(width));
        for (int processors : PROCESSORS) {
            lines.add(MODELLED.row(
                    width,
                    List.of(
                            String.valueOf(processors),
                            model(processors, Routing.ONE_HANDLER),
                            model(processors, Routing.WANDERING),
                            model(processors, Routing.BOUND))));
        }
        return lines;
    }

    private String model(int processors, Routing routing) {
        DoubleSupplier found = () -> modelled.stream()
                .filter(each -> each.processors() == processors && each.routing() == routing)
                .mapToDouble(Modelled::model)
                .findFirst()
                .orElse(0);
        return Figures.count(Math.round(found.getAsDouble()));
    }

    /** The same for programs. */
    public JsonObject json() {
        return new JsonObject()
                .put("eventNs", costs.eventNs())
                .put("workNs", costs.workNs())
                .put("signalNs", costs.signalNs())
                .put("lineNs", costs.lineNs())
                .put("lines", costs.lines())
                .putObjects(
                        "compared",
                        compared.stream()
                                .map(each -> new JsonObject()
                                        .put("processors", each.processors())
                                        .put("handlers", each.routing().name())
                                        .put("measuredPerSecond", each.measured())
                                        .put("modelPerSecond", each.model()))
                                .toList())
                .putObjects(
                        "modelled",
                        modelled.stream()
                                .map(each -> new JsonObject()
                                        .put("processors", each.processors())
                                        .put("handlers", each.routing().name())
                                        .put("modelPerSecond", each.model()))
                                .toList());
    }

    /** A picture: the model's curves, and what was measured. */
    public String svg() {
        List<LineChart.Series> series = new ArrayList<>();
        for (Routing routing : Routing.values()) {
            series.add(new LineChart.Series(
                    routing.words(),
                    modelled.stream()
                            .filter(each -> each.routing() == routing)
                            .map(each -> new LineChart.Point(each.processors(), each.model()))
                            .toList()));
        }
        series.add(new LineChart.Series(
                "measured, one handler per processor",
                compared.stream()
                        .filter(each -> each.routing() == Routing.BOUND)
                        .map(each -> new LineChart.Point(each.processors(), each.measured()))
                        .toList()));
        String circumstances = String.format(
                Locale.ROOT,
                "an event %.0f ns, its work %.0f ns, a signal from another core %.0f ns, a cache line %.0f ns",
                costs.eventNs(),
                costs.workNs(),
                costs.signalNs(),
                costs.lineNs());
        return new LineChart(
                        "Events handled per second",
                        circumstances,
                        List.of(new LineChart.Panel(
                                Axis.logarithmic("handler processors", Unit.NUMBER),
                                Axis.logarithmic("events", Unit.PER_SECOND),
                                series)))
                .toSvg();
    }
}
