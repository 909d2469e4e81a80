package io.verbena.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.verbena.verbs.Figure;
import io.verbena.verbs.Figures;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** The meters of one RNIC in one registry. Gauges keep it from being garbage; counters refer to it weakly, as those of Micrometer do. */
final class BoundRnic {

    private static final double NANOSECONDS = 1e9;

    /** What distinguishes a meter from the others of the RNIC. */
    private record Series(Figure figure, Tags tags) {}

    /** A meter and what it returns. */
    private static final class Cell {
        private final Meter meter;
        private volatile double value;

        Cell(Meter meter) {
            this.meter = meter;
        }
    }

    private final MeterRegistry registry;
    private final Supplier<Figures> source;
    private final Tags tags;
    private final SampleClock clock;

    // Under the lock.
    private final Map<Series, Cell> cells = new HashMap<>();

    BoundRnic(MeterRegistry registry, Supplier<Figures> source, Tags tags, SampleClock clock) {
        this.registry = registry;
        this.source = source;
        this.tags = tags;
        this.clock = clock;
    }

    private synchronized double read(Series series) {
        refresh();
        Cell cell = cells.get(series);
        return cell == null ? Double.NaN : cell.value;
    }

    /** Takes a sample if the last one is too old. */
    synchronized void refresh() {
        if (!clock.due()) {
            return;
        }
        Set<Series> present = new HashSet<>();
        Figures rnic = source.get();
        if (!"CLOSED".equals(rnic.texts().get("state"))) {
            add(rnic, tags, present);
        }
        cells.entrySet().removeIf(entry -> {
            boolean gone = !present.contains(entry.getKey());
            if (gone) {
                registry.remove(entry.getValue().meter);
            }
            return gone;
        });
    }

    private void add(Figures figures, Tags outer, Set<Series> present) {
        if (figures.subject().equals("event")) {
            return; // its number would be a tag that is new for each event
        }
        Tags own = outer;
        for (Map.Entry<String, String> each : figures.identity().entrySet()) {
            own = own.and(figures.subject() + '.' + each.getKey(), each.getValue());
        }
        for (Figures.Value value : figures.values()) {
            String attribute = value.figure().attribute();
            Series series =
                    new Series(value.figure(), attribute.isEmpty() ? own : own.and(attribute, value.attribute()));
            present.add(series);
            boolean time = value.figure().unit().equals("ns");
            cells.computeIfAbsent(series, this::register).value = time ? value.number() / NANOSECONDS : value.number();
        }
        for (Figures part : figures.parts()) {
            add(part, own, present);
        }
    }

    private Cell register(Series series) {
        Figure figure = series.figure();
        String unit = switch (figure.unit()) {
            case "By" -> "bytes";
            case "ns" -> "seconds";
            default -> "";
        };
        Meter meter = figure.kind() == Figure.Kind.COUNTER
                ? FunctionCounter.builder(figure.name(), this, bound -> bound.read(series))
                        .tags(series.tags())
                        .description(figure.description())
                        .baseUnit(unit.isEmpty() ? null : unit)
                        .register(registry)
                : Gauge.builder(figure.name(), this, bound -> bound.read(series))
                        .strongReference(true)
                        .tags(series.tags())
                        .description(figure.description())
                        .baseUnit(unit.isEmpty() ? null : unit)
                        .register(registry);
        return new Cell(meter);
    }
}
