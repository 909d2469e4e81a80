package io.verbena.tools.observe;

import io.verbena.tools.text.JsonObject;
import io.verbena.verbs.Figures;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The figures of processes at one time.
 *
 * @param timeNs of the clock of {@link System#nanoTime}
 */
public record Moment(long timeNs, List<Figures> processes) {

    /** A queue pair, and the names of what it belongs to. */
    public record Pair(String pid, String rnic, Figures figures) {
        String key() {
            return pid + '/' + rnic + '/' + figures.identity();
        }
    }

    /**
     * Now.
     *
     * @param pid the only process to be shown; empty for all
     */
    public static Moment now(OptionalLong pid) throws IOException {
        List<Figures> shown = Observation.others().stream()
                .filter(each -> pid.isEmpty()
                        || String.valueOf(pid.getAsLong())
                                .equals(each.identity().get("pid")))
                .toList();
        return new Moment(System.nanoTime(), shown);
    }

    /** All queue pairs by their keys. */
    Map<String, Pair> pairs() {
        Map<String, Pair> pairs = new LinkedHashMap<>();
        for (Figures process : processes) {
            for (Figures rnic : process.parts("rnic")) {
                for (Figures queuePair : rnic.parts("queue_pair")) {
                    Pair pair = new Pair(identity(process, "pid"), identity(rnic, "number"), queuePair);
                    pairs.put(pair.key(), pair);
                }
            }
        }
        return pairs;
    }

    private static String identity(Figures figures, String name) {
        return figures.identity().getOrDefault(name, "");
    }

    /** All figures for programs, as the page {@code /api/figures} has them. */
    public List<JsonObject> json() {
        return json(processes);
    }

    private static List<JsonObject> json(List<Figures> all) {
        return all.stream().map(Moment::json).toList();
    }

    private static JsonObject json(Figures figures) {
        Map<String, JsonObject> values = new LinkedHashMap<>();
        for (Figures.Value value : figures.values()) {
            values.computeIfAbsent(value.figure().name(), _ -> new JsonObject()).put(value.attribute(), value.number());
        }
        JsonObject numbers = new JsonObject();
        values.forEach(numbers::put);
        return new JsonObject()
                .put("subject", figures.subject())
                .put("identity", texts(figures.identity()))
                .put("texts", texts(figures.texts()))
                .put("values", numbers)
                .putObjects("parts", new ArrayList<>(json(figures.parts())));
    }

    private static JsonObject texts(Map<String, String> texts) {
        JsonObject object = new JsonObject();
        texts.forEach(object::put);
        return object;
    }
}
