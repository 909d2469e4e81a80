package io.verbena.bench.side;

import io.verbena.bench.side.Outcome.Measured;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A whole run: the table as Markdown, the picture, and everything as JSON.
 *
 * @param name of the files, without their ending
 * @param circumstances sentences on the machine and the settings
 * @param outcomes the rows
 * @param samples of each experiment
 */
record Report(String name, List<String> circumstances, List<Outcome> outcomes, Map<String, Samples> samples) {

    /** Prints the table, writes the files and prints the duration of the run; returns the exit code, 1 if a row has no figures. */
    int publish(Path folder, PrintStream out, long beginNs) throws IOException {
        out.println();
        out.print(markdown());
        out.println();
        for (Path file : write(folder)) {
            out.println("wrote " + file);
        }
        out.println("took " + Figures.seconds(System.nanoTime() - beginNs));
        return outcomes.stream().allMatch(outcome -> outcome.best().isPresent()) ? 0 : 1;
    }

    /** Writes the .md, .svg and .json files; returns what was written. */
    List<Path> write(Path folder) throws IOException {
        Files.createDirectories(folder);
        List<Path> written = new ArrayList<>();
        written.add(Files.writeString(folder.resolve(name + ".md"), markdown()));
        written.add(Files.writeString(folder.resolve(name + ".json"), json()));
        if (outcomes.stream().anyMatch(RatioChart::drawable)) {
            written.add(Files.writeString(
                    folder.resolve(name + ".svg"), new RatioChart(circumstances.getFirst(), outcomes).toSvg()));
        }
        return written;
    }

    String markdown() {
        StringBuilder out = new StringBuilder();
        out.append("| | compared with | theirs | Verbena | ratio, median (least to most) | goal | progress |\n");
        out.append("|---|---|---|---|---|---|---|\n");
        for (Outcome outcome : outcomes) {
            out.append(line(outcome)).append('\n');
        }
        out.append('\n');
        for (String sentence : circumstances) {
            out.append(sentence).append('\n');
        }
        return out.toString();
    }

    private static String line(Outcome outcome) {
        Row row = outcome.row();
        String start = "| " + row.operation() + " | " + row.peer() + " | ";
        if (outcome.best().isEmpty()) {
            return start + "no figures: " + outcome.reason().replace('|', '/') + " | | | "
                    + row.goal().print() + " | |";
        }
        Measured best = outcome.best().orElseThrow();
        String mark = row.goal().kind() == Goal.Kind.NONE ? "" : outcome.reached() ? " ✓" : " ✗";
        String figures = best.alone()
                ? " | | " + percent(best.ratio().median()) + " ("
                        + percent(best.ratio().least()) + " to "
                        + percent(best.ratio().most()) + ")"
                : row.unit().print(best.theirs().median()) + " | "
                        + row.unit().print(best.ours().median()) + " | " + print(best.ratio());
        return start + figures + mark + " | " + row.goal().print() + " | "
                + best.candidate().mode() + " |";
    }

    private static String print(Spread ratio) {
        return two(ratio.median()) + " (" + two(ratio.least()) + " to " + two(ratio.most()) + ")";
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", share * 100);
    }

    private static String two(double value) {
        return String.format(Locale.ROOT, value >= 100 ? "%.0f" : "%.2f", value);
    }

    String json() {
        JsonObject all = new JsonObject().putStrings("circumstances", circumstances);
        all.putObjects("rows", outcomes.stream().map(Report::json).toList());
        JsonObject experiments = new JsonObject();
        samples.forEach((name, reported) -> {
            JsonObject series = new JsonObject();
            reported.all()
                    .forEach((one, values) -> series.putStrings(
                            one, values.stream().map(String::valueOf).toList()));
            experiments.put(name, series);
        });
        return all.put("samples", experiments) + "\n";
    }

    private static JsonObject json(Outcome outcome) {
        Row row = outcome.row();
        return new JsonObject()
                .put("operation", row.operation())
                .put("peer", row.peer())
                .put("unit", row.unit().symbol)
                .put("goal", row.goal().print())
                .put("reached", outcome.reached())
                .put("reason", outcome.reason())
                .putObjects(
                        "measured",
                        outcome.measured().stream()
                                .map(one -> new JsonObject()
                                        .put("progress", one.candidate().mode())
                                        .put("experiment", one.candidate().experiment())
                                        .put("ours", json(one.ours()))
                                        .put("theirs", json(one.theirs()))
                                        .put("ratio", json(one.ratio())))
                                .toList());
    }

    private static JsonObject json(Spread spread) {
        return new JsonObject()
                .put("median", spread.median())
                .put("least", spread.least())
                .put("most", spread.most());
    }
}
