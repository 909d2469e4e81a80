package io.verbena.web;

import io.verbena.text.JsonText;
import io.verbena.verbs.Figure;
import io.verbena.verbs.Figures;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Figures as JSON, on one line. The numbers of an object are members under the names of the figures, one for each value of the
 * attribute of the figure; without an attribute its name is empty.
 *
 * <pre>
 * {"subject":"queue_pair","identity":{"number":"0x00a1b2"},"texts":{"state":"RTS"},
 *  "values":{"verbena.queue_pair.io":{"transmit":4096,"receive":0}},"parts":[]}
 * </pre>
 */
public final class FiguresJson {

    private FiguresJson() {}

    /** The figures of several objects as an array. */
    public static String text(List<Figures> all) {
        StringBuilder out = new StringBuilder();
        write(out, all);
        return out.toString();
    }

    /** A sample of the figures of several processes. */
    static String sample(long number, long timeNs, boolean network, List<Figures> processes) {
        StringBuilder out = new StringBuilder("{\"number\":").append(number);
        out.append(",\"timeNs\":").append(timeNs);
        out.append(network ? ",\"network\":true" : "").append(",\"processes\":");
        write(out, processes);
        return out.append('}').toString();
    }

    /**
     * Reads what {@link #text} has written, in this process or in another one. Figures without a definition are omitted, such as those of
     * a later version.
     *
     * @param known the definitions
     * @throws IllegalArgumentException if the text is something else
     */
    public static List<Figures> read(String text, Collection<Figure> known) {
        Map<String, Figure> byName = new HashMap<>();
        known.forEach(figure -> byName.put(figure.name(), figure));
        try {
            return list(JsonReader.read(text), byName);
        } catch (ClassCastException | NullPointerException e) {
            throw new IllegalArgumentException("JSON, but not of figures", e);
        }
    }

    private static List<Figures> list(Object json, Map<String, Figure> known) {
        return ((List<?>) json)
                .stream().map(each -> one((Map<?, ?>) each, known)).toList();
    }

    private static Figures one(Map<?, ?> json, Map<String, Figure> known) {
        Figures.Builder figures = Figures.of((String) member(json, "subject"));
        members(json, "identity").forEach((name, value) -> figures.identity((String) name, value));
        members(json, "texts").forEach((name, value) -> figures.text((String) name, value));
        members(json, "values").forEach((name, numbers) -> {
            Figure figure = known.get((String) name);
            if (figure != null) {
                ((Map<?, ?>) numbers)
                        .forEach((attribute, number) -> figures.value(figure, (String) attribute, (Long) number));
            }
        });
        list(member(json, "parts"), known).forEach(figures::part);
        return figures.build();
    }

    private static Map<?, ?> members(Map<?, ?> json, String name) {
        return (Map<?, ?>) member(json, name);
    }

    private static Object member(Map<?, ?> json, String name) {
        return Objects.requireNonNull(json.get(name), name);
    }

    static void write(StringBuilder out, List<Figures> all) {
        out.append('[');
        String separator = "";
        for (Figures each : all) {
            out.append(separator);
            write(out, each);
            separator = ",";
        }
        out.append(']');
    }

    private static void write(StringBuilder out, Figures figures) {
        out.append("{\"subject\":");
        JsonText.quote(out, figures.subject());
        texts(out.append(",\"identity\":"), figures.identity());
        texts(out.append(",\"texts\":"), figures.texts());
        values(out.append(",\"values\":{"), figures.values());
        out.append("},\"parts\":");
        write(out, figures.parts());
        out.append('}');
    }

    private static void texts(StringBuilder out, Map<String, String> texts) {
        out.append('{');
        String separator = "";
        for (Map.Entry<String, String> each : texts.entrySet()) {
            out.append(separator);
            JsonText.quote(out, each.getKey());
            out.append(':');
            JsonText.quote(out, each.getValue());
            separator = ",";
        }
        out.append('}');
    }

    /** Each figure is one member, wherever its numbers are in the list: of two members with one name, a reader keeps the last. */
    private static void values(StringBuilder out, List<Figures.Value> values) {
        String separator = "";
        for (int i = 0; i < values.size(); i++) {
            Figure figure = values.get(i).figure();
            if (first(values, figure) == i) {
                JsonText.quote(out.append(separator), figure.name());
                numbers(out.append(":{"), figure, values.subList(i, values.size()));
                out.append('}');
                separator = ",";
            }
        }
    }

    private static int first(List<Figures.Value> values, Figure figure) {
        int at = 0;
        while (!sameName(values.get(at).figure(), figure)) {
            at++;
        }
        return at;
    }

    private static boolean sameName(Figure one, Figure other) {
        return one == other || one.name().equals(other.name());
    }

    private static void numbers(StringBuilder out, Figure figure, List<Figures.Value> values) {
        String separator = "";
        for (Figures.Value value : values) {
            if (sameName(value.figure(), figure)) {
                JsonText.quote(out.append(separator), value.attribute());
                out.append(':').append(value.number());
                separator = ",";
            }
        }
    }
}
