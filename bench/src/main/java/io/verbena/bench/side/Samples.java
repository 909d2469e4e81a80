package io.verbena.bench.side;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The output of an experiment, line by line. */
final class Samples {

    private final Map<String, List<Double>> series = new LinkedHashMap<>();
    private final Map<String, String> absent = new LinkedHashMap<>();
    private String failure = "";
    private boolean done;

    /** Takes one line of a {@link Runner}; other lines are ignored. */
    void take(String line) {
        String[] words = line.split(" ", 3);
        switch (words[0]) {
            case "sample" ->
                series.computeIfAbsent(words[1], name -> new ArrayList<>()).add(Double.parseDouble(words[2]));
            case "absent" -> absent.put(words[1], words.length > 2 ? words[2] : "");
            case "done" -> done = true;
            default -> {
                // What a library prints.
            }
        }
    }

    void fail(String sentence) {
        failure = sentence;
    }

    /** Why there are no figures, empty if there are. */
    String failure() {
        return failure.isEmpty() && !done ? "it did not end" : failure;
    }

    /** Why one could not take part, empty if it did. */
    String absent(String name) {
        return absent.getOrDefault(name, "");
    }

    boolean has(String name) {
        return done && series.containsKey(name);
    }

    double[] of(String name) {
        return series.getOrDefault(name, List.of()).stream()
                .mapToDouble(value -> value)
                .toArray();
    }

    Map<String, List<Double>> all() {
        return series;
    }
}
