package io.verbena.tools.osu;

import static io.verbena.tools.command.UsageProblem.check;

import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.messaging.RankProcesses;
import io.verbena.tools.text.JsonObject;
import io.verbena.verbs.RnicOptions;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/** Starts the ranks of a measurement of the OSU benchmarks. */
public final class OsuRun {

    private static final int MOST_RANKS = 64;
    private static final String PREFIX = "osu_";

    @Option(
            names = "--ranks",
            paramLabel = "N",
            defaultValue = "2",
            description = "osu_…: number of ranks, each a process of this machine. Default: ${DEFAULT-VALUE}.")
    private int ranks = 2;

    @Option(
            names = "--tune",
            description = "Measure from which length on each algorithm of the collective operations is the faster one.")
    private boolean tune;

    @Option(
            names = "--program-memory",
            description =
                    "osu_…: buffers that the program has allocated itself, which ranks that share memory copy twice, in place of"
                            + " those of Communicator.allocate, which they copy once.")
    private boolean programMemory;

    /** Returns whether these words of the command line name such a measurement. */
    public boolean chosen(List<String> words) {
        return tune || !words.isEmpty() && words.getFirst().startsWith(PREFIX);
    }

    /**
     * Runs it and prints its table, or adds its rows to the figures.
     *
     * @param words the operations, separated by commas
     */
    public void run(List<String> words, Load load, RnicOptions options, Output output, StopSignal stop)
            throws Exception {
        check(ranks >= 2 && ranks <= MOST_RANKS, "--ranks must be 2 to " + MOST_RANKS + ", not " + ranks);
        check(words.size() == (tune ? 0 : 1), "osu measurements run on this machine: give one operation and no HOST");
        List<String> program = new ArrayList<>(List.of(OsuRank.class.getName()));
        program.addAll(tune ? List.of(OsuTune.WORD, "") : measurement(words.getFirst(), load.sizes()));
        program.add(String.valueOf(Math.min(load.iterations(), Integer.MAX_VALUE)));
        program.add(String.valueOf(load.warmUpNs()));
        program.add(String.valueOf(programMemory));
        List<String> jvm =
                options.provider().isEmpty() ? List.of() : List.of("-Dio.verbena.provider=" + options.provider());
        ByteArrayOutputStream captured = new ByteArrayOutputStream();
        PrintStream lines = new PrintStream(captured, true, StandardCharsets.UTF_8);
        try (RankProcesses processes = new RankProcesses(stop)) {
            PrintStream out = output.json() ? lines : output.terminal().out();
            processes.start(
                    new RankProcesses.Program(program, jvm, "."),
                    RankProcesses.Places.here(ranks),
                    false,
                    out,
                    output.terminal().err());
            processes.await();
        }
        output.figures().put("ranks", ranks);
        if (output.json()) {
            output.figures().putObjects("results", rows(captured.toString(StandardCharsets.UTF_8)));
        }
    }

    /**
     * What is measured.
     *
     * @param sizes empty for those of the OSU benchmarks
     * @param iterations 0 for those of the OSU benchmarks
     * @param warmUpNs duration of the unmeasured run before each measurement; {@link OsuWarmUp#UNTIL_STEADY}
     */
    public record Load(List<Long> sizes, long iterations, long warmUpNs) {}

    /** Where the results go. */
    public record Output(Terminal terminal, boolean json, JsonObject figures) {}

    private static List<String> measurement(String words, List<Long> sizes) throws UsageProblem {
        List<OsuOp> known = List.of(OsuOp.values());
        for (String word : words.split(",", -1)) {
            OsuOp op = OsuOp.named(word)
                    .orElseThrow(() -> new UsageProblem("There is no operation '" + word + "'; use one of "
                            + known.stream().map(OsuOp::word).collect(Collectors.joining(", "))));
            for (long size : sizes) {
                check(
                        op != OsuOp.OSU_ALLREDUCE || size % Float.BYTES == 0,
                        "an allreduce of floats cannot have " + size + " bytes");
            }
        }
        return List.of(words, sizes.stream().map(String::valueOf).collect(Collectors.joining(",")));
    }

    private static List<JsonObject> rows(String table) {
        List<JsonObject> rows = new ArrayList<>();
        String op = "";
        for (String line : table.lines().toList()) {
            if (line.startsWith("# " + PREFIX)) {
                op = line.substring(2, line.indexOf(','));
            } else if (!line.startsWith("#") && !line.isBlank()) {
                rows.add(new JsonObject()
                        .put("op", op)
                        .putStrings("columns", List.of(line.trim().split(" +"))));
            }
        }
        return rows;
    }
}
