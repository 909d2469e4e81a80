package io.verbena.bench.profile;

import io.verbena.bench.side.Children;
import io.verbena.verbs.Progress;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Profiles Writes of several sizes in both modes of progress. */
public final class Profiler {

    private static final int[] SIZES = {8, 4096, 1 << 16, 1 << 20};
    private static final String[] NAMES = {"8 B", "4 KiB", "64 KiB", "1 MiB"};

    private final Pattern only;
    private final Pattern graph;
    private final double seconds;
    private final int socketBufferBytes;
    private final List<Budget> budgets = new ArrayList<>();

    /**
     * What to profile.
     *
     * @param only is looked for in the titles, as {@code 64 KiB INLINE}
     * @param graph is looked for in the titles of those that get a flame graph
     * @param seconds length of each recording
     * @param socketBufferBytes requested size of every socket buffer; 0 for the system's default
     */
    public Profiler(Pattern only, Pattern graph, double seconds, int socketBufferBytes) {
        this.only = only;
        this.graph = graph;
        this.seconds = seconds;
        this.socketBufferBytes = socketBufferBytes;
    }

    /** Runs them, and writes profile.md and the flame graphs. */
    public void run(Path folder, PrintStream out) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        for (int i = 0; i < SIZES.length; i++) {
            for (Progress progress : Progress.values()) {
                String title = NAMES[i] + (progress == Progress.INLINE ? " INLINE" : " engine threads");
                if (only.matcher(title).find()) {
                    profile(SIZES[i], progress, title, folder, out);
                }
            }
        }
        if (budgets.isEmpty()) {
            throw new IllegalArgumentException("--only matches none of the titles");
        }
        Path table = folder.resolve("profile.md");
        Files.writeString(table, table(budgets, circumstances()));
        out.println();
        out.print(Files.readString(table));
        out.println("wrote " + table);
    }

    private void profile(int bytes, Progress progress, String title, Path folder, PrintStream out)
            throws IOException, InterruptedException {
        Path recording = Files.createTempFile("verbena", ".jfr");
        try {
            List<String> arguments = List.of(
                    String.valueOf(bytes),
                    progress.name(),
                    String.valueOf(seconds),
                    String.valueOf(socketBufferBytes),
                    recording.toString());
            Process child = new ProcessBuilder(Children.java(
                            List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints"),
                            Workload.class.getName(),
                            arguments))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            Map<String, Long> reported = read(child);
            if (child.waitFor() != 0) {
                throw new IOException("the workload " + title + " failed");
            }
            StackTree tree = Stacks.read(recording);
            Budget budget = Budget.of(title, reported, tree);
            budgets.add(budget);
            out.printf(Locale.ROOT, "%-22s %8s µs a message, %d samples%n", title, budget.elapsed(), tree.samples());
            if (graph.matcher(title).find()) {
                Path picture =
                        folder.resolve("flame-" + title.toLowerCase(Locale.ROOT).replace(' ', '-') + ".svg");
                String words = tree.samples() + " samples of processor time, both ends in one JVM, a box a frame";
                Files.writeString(picture, new FlameGraph(tree, "RDMA Write, " + title, words).toSvg());
                out.println("wrote " + picture);
            }
        } finally {
            Files.deleteIfExists(recording);
        }
    }

    private static Map<String, Long> read(Process child) throws IOException {
        Map<String, Long> reported = new HashMap<>();
        try (var lines = child.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ");
                if (words.length == 2 && words[1].matches("-?\\d+")) {
                    reported.put(words[0], Long.parseLong(words[1]));
                }
            }
        }
        return reported;
    }

    private String circumstances() {
        return "Microseconds of processor time a message, both ends together, of recordings of "
                + String.format(Locale.ROOT, "%.0f", seconds) + " s; "
                + Runtime.getRuntime().availableProcessors()
                + " cores, JDK " + Runtime.version().feature()
                + ". Calls are those that Linux counts for a process: send and recv are not among them. "
                + "Written by `bench/profile`.";
    }

    /** The budgets beside each other, as Markdown. */
    static String table(List<Budget> budgets, String circumstances) {
        StringBuilder out = new StringBuilder("| µs a message |");
        budgets.forEach(budget -> out.append(' ').append(budget.title()).append(" |"));
        out.append("\n|---|").append("---:|".repeat(budgets.size())).append('\n');
        line(out, "**from one message to the next**", budgets, Budget::elapsed);
        line(out, "**processor time, all threads**", budgets, Budget::cpu);
        for (Room room : Room.values()) {
            line(out, room.title, budgets, budget -> budget.in(room));
        }
        line(out, "calls of write, writev a message", budgets, Budget::writesEach);
        line(out, "calls of read, readv a message", budgets, Budget::readsEach);
        return out.append('\n').append(circumstances).append('\n').toString();
    }

    private static void line(StringBuilder out, String title, List<Budget> budgets, Function<Budget, String> figure) {
        out.append("| ").append(title).append(" |");
        budgets.forEach(budget -> out.append(' ').append(figure.apply(budget)).append(" |"));
        out.append('\n');
    }
}
