package io.verbena.bench.side;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** A run of the whole table, or of the rows whose title matches. */
public final class Comparison {

    private final List<Row> rows;
    private final int pairs;
    private final boolean quick;
    private final int socketBufferBytes;

    /**
     * What to run.
     *
     * @param only is looked for in the titles of the rows
     * @param pairs how often each contestant runs
     * @param quick shorter warm-up and runs
     * @param socketBufferBytes requested size of every socket buffer; 0 for the system's default
     */
    public Comparison(Pattern only, int pairs, boolean quick, int socketBufferBytes) {
        rows = new Catalogue(socketBufferBytes)
                .rows().stream().filter(row -> only.matcher(row.title()).find()).toList();
        this.pairs = pairs;
        this.quick = quick;
        this.socketBufferBytes = socketBufferBytes;
    }

    /** What the rows are called. */
    public List<String> titles() {
        return rows.stream().map(Row::title).toList();
    }

    /** Runs the experiments, reports progress, prints the table and writes the files; returns the exit code. */
    public int run(Path folder, PrintStream out) throws IOException {
        long beginNs = System.nanoTime();
        Set<String> wanted = new LinkedHashSet<>();
        rows.forEach(row -> row.candidates().forEach(candidate -> wanted.add(candidate.experiment())));
        Map<String, Samples> samples = new LinkedHashMap<>();
        for (String experiment : wanted) {
            out.printf("[%2d/%d] %-34s", samples.size() + 1, wanted.size(), experiment);
            out.flush();
            Samples reported = Children.run(experiment, pairs, quick, socketBufferBytes);
            samples.put(experiment, reported);
            out.println(digest(experiment, reported));
        }
        List<Outcome> outcomes =
                rows.stream().map(row -> Outcome.of(row, samples)).toList();
        Report report =
                new Report("side-by-side", Machine.circumstances(pairs, quick, socketBufferBytes), outcomes, samples);
        return report.publish(folder, out, beginNs);
    }

    /** The result of an experiment, in a few words. */
    private String digest(String experiment, Samples reported) {
        StringBuilder words = new StringBuilder();
        for (Row row : rows) {
            Outcome outcome = Outcome.of(row, Map.of(experiment, reported));
            outcome.best()
                    .ifPresent(best -> words.append(words.isEmpty() ? "" : ", ")
                            .append(String.format(
                                    Locale.ROOT, "%.2f", best.ratio().median())));
        }
        return words.isEmpty() ? "no figures: " + reason(reported) : words.toString();
    }

    private static String reason(Samples reported) {
        return reported.failure().isEmpty() ? "one side is absent" : reported.failure();
    }
}
