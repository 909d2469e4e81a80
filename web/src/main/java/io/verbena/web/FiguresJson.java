package io.verbena.web;

import io.verbena.live.FiguresText;
import io.verbena.verbs.Figure;
import io.verbena.verbs.Figures;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Figures as JSON, as {@link FiguresText} writes them. */
public final class FiguresJson {

    private FiguresJson() {}

    /** The figures of several objects as an array. */
    public static String text(List<Figures> all) {
        return FiguresText.of(all);
    }

    /** A sample of the figures of several processes. */
    static String sample(long number, long timeNs, boolean network, List<Figures> processes) {
        StringBuilder out = new StringBuilder("{\"number\":").append(number);
        out.append(",\"timeNs\":").append(timeNs);
        out.append(network ? ",\"network\":true" : "").append(",\"processes\":");
        FiguresText.write(out, processes);
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
}
