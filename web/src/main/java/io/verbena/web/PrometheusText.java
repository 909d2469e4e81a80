package io.verbena.web;

import io.verbena.verbs.Figure;
import io.verbena.verbs.Figure.Kind;
import io.verbena.verbs.Figures;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/**
 * Figures in the text formats of Prometheus: OpenMetrics 1.0, or the older format 0.0.4, which differs in the names of families of counters
 * and in its end.
 *
 * <p>The name of a metric follows from the name and unit of the figure: dots become underscores, the unit is appended ({@code By} as
 * {@code bytes}, {@code ns} as {@code seconds}, nothing for what is counted), and {@code total} for a counter. Labels are the
 * identities of the object and of those that it belongs to, under names such as {@code queue_pair_number}, and the attribute of the figure. The
 * texts of an object are labels of a metric of their own, such as {@code verbena_queue_pair_info}. Single events are not metrics.
 */
final class PrometheusText {

    static final String PLAIN = "text/plain; version=0.0.4; charset=utf-8";
    static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    private static final double NANOSECONDS = 1e9;

    private record Sample(String labels, String number) {}

    private record Family(String name, String unit, String type, String help, List<Sample> samples) {}

    private final boolean open;
    private final Map<String, Family> families = new LinkedHashMap<>();

    private PrometheusText(boolean open) {
        this.open = open;
    }

    /** The figures of several processes. */
    static String of(List<Figures> processes, boolean openMetrics) {
        PrometheusText text = new PrometheusText(openMetrics);
        processes.forEach(process -> text.add(process, new LinkedHashMap<>()));
        return text.text();
    }

    private void add(Figures figures, SequencedMap<String, String> outer) {
        if (figures.subject().equals("event")) {
            return; // its number would be a label that is new for each event
        }
        SequencedMap<String, String> labels = new LinkedHashMap<>(outer);
        figures.identity().forEach((name, value) -> labels.put(figures.subject() + '_' + name, value));
        if (!figures.texts().isEmpty()) {
            SequencedMap<String, String> described = new LinkedHashMap<>(labels);
            described.putAll(figures.texts());
            String name = "verbena_" + figures.subject() + "_info";
            family(name, "", "gauge", "Texts that describe the object, as labels of the number 1.")
                    .samples()
                    .add(new Sample(labels(described), "1"));
        }
        for (Figures.Value value : figures.values()) {
            SequencedMap<String, String> own = new LinkedHashMap<>(labels);
            if (!value.attribute().isEmpty()) {
                own.put(value.figure().attribute(), value.attribute());
            }
            family(value.figure()).samples().add(new Sample(labels(own), number(value)));
        }
        figures.parts().forEach(part -> add(part, labels));
    }

    private Family family(Figure figure) {
        String unit = unit(figure);
        String base = figure.name().replace('.', '_') + (unit.isEmpty() ? "" : '_' + unit);
        boolean counter = figure.kind() == Kind.COUNTER;
        return family(base, unit, counter ? "counter" : "gauge", figure.description());
    }

    private Family family(String name, String unit, String type, String help) {
        return families.computeIfAbsent(name, _ -> new Family(name, unit, type, help, new ArrayList<>()));
    }

    /** Name of the base unit in Prometheus; empty for what is counted. */
    private static String unit(Figure figure) {
        return switch (figure.unit()) {
            case "By" -> "bytes";
            case "ns" -> "seconds";
            default -> "";
        };
    }

    private static String number(Figures.Value value) {
        return value.figure().unit().equals("ns")
                ? String.valueOf(value.number() / NANOSECONDS)
                : String.valueOf(value.number());
    }

    private static String labels(Map<String, String> labels) {
        StringBuilder out = new StringBuilder("{");
        String separator = "";
        for (Map.Entry<String, String> each : labels.entrySet()) {
            out.append(separator).append(each.getKey()).append("=\"");
            out.append(escape(each.getValue()).replace("\"", "\\\"")).append('"');
            separator = ",";
        }
        return labels.isEmpty() ? "" : out.append('}').toString();
    }

    private static String escape(String text) {
        return text.replace("\\", "\\\\").replace("\n", "\\n");
    }

    private String text() {
        StringBuilder out = new StringBuilder();
        for (Family family : families.values()) {
            boolean counter = family.type().equals("counter");
            String sample = family.name() + (counter ? "_total" : "");
            String name = open ? family.name() : sample;
            out.append("# HELP ")
                    .append(name)
                    .append(' ')
                    .append(escape(family.help()))
                    .append('\n');
            out.append("# TYPE ").append(name).append(' ').append(family.type()).append('\n');
            if (open && !family.unit().isEmpty()) {
                out.append("# UNIT ")
                        .append(name)
                        .append(' ')
                        .append(family.unit())
                        .append('\n');
            }
            for (Sample each : family.samples()) {
                out.append(sample)
                        .append(each.labels())
                        .append(' ')
                        .append(each.number())
                        .append('\n');
            }
        }
        return open ? out.append("# EOF\n").toString() : out.toString();
    }
}
