package io.verbena.live;

import io.verbena.text.JsonText;
import io.verbena.verbs.Figure;
import io.verbena.verbs.Figures;
import java.util.List;
import java.util.Map;

/**
 * Figures as JSON, on one line. The numbers of an object are members under the names of the figures, one for each value of the
 * attribute of the figure; without an attribute its name is empty.
 *
 * <pre>
 * {"subject":"queue_pair","identity":{"number":"0x00a1b2"},"texts":{"state":"RTS"},
 *  "values":{"verbena.queue_pair.io":{"transmit":4096,"receive":0}},"parts":[]}
 * </pre>
 */
public final class FiguresText {

    private FiguresText() {}

    /** The figures of several objects as an array. */
    public static String of(List<Figures> all) {
        StringBuilder out = new StringBuilder();
        write(out, all);
        return out.toString();
    }

    /** Appends the figures of several objects as an array. */
    public static void write(StringBuilder out, List<Figures> all) {
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
