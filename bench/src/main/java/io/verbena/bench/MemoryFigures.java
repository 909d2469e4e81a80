package io.verbena.bench;

import io.verbena.tools.text.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code bench/memory}. */
@Command(
        name = "bench/memory",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "What keys, pinned and pageable memory cost, beside a peer or a limit in the same run.",
            "",
            "Takes about a minute and a half. Close what else needs the processor: figures of a busy machine say little.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  bench/memory                                     writes docs/figures/memory.md and .json",
            "  bench/memory --before ../old/core/target/classes pinned memory beside an older version too"
        })
public final class MemoryFigures implements Callable<Integer> {

    private static final int FEWEST_ROUNDS = 3;

    @Option(
            names = "--before",
            paramLabel = "CLASSES",
            description =
                    "The core of an older version, classes or jar: accesses to pinned memory are compared with it.")
    private Optional<Path> before = Optional.empty();

    @Option(names = "--rounds", paramLabel = "N", description = "Number of interleaved rounds per row. Default: 9.")
    private int rounds = 9;

    @Option(names = "--out", paramLabel = "DIR", description = "Output folder. Default: docs/figures.")
    private Optional<Path> out = Optional.empty();

    @Option(names = "--disk", paramLabel = "DIR", description = "Folder of the paged file. Default: bench/target.")
    private Optional<Path> disk = Optional.empty();

    private MemoryFigures() {}

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new MemoryFigures()).execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        rounds = Math.max(rounds, FEWEST_ROUNDS);
        Path root = Path.of(System.getProperty("verbena.root", "."));
        List<MemoryFigure> figures = new ArrayList<>(new KeyFigures(rounds).measure());
        if (before.isPresent()) {
            figures.addAll(new PinnedFigures(rounds, before.get()).measure());
        }
        PageFigures pages = new PageFigures(rounds);
        figures.addAll(pages.measure(disk.orElse(root.resolve("bench/target"))));
        List<String> circumstances = List.of(
                Runtime.getRuntime().availableProcessors() + " cores, loopback TCP, " + rounds
                        + " interleaved rounds a row, JDK " + Runtime.version().feature() + ".",
                pages.circumstances());
        write(out.orElse(root.resolve("docs/figures")), figures, circumstances);
        return 0;
    }

    private static void write(Path folder, List<MemoryFigure> figures, List<String> circumstances) throws IOException {
        StringBuilder table = new StringBuilder();
        table.append("| | compared with | theirs | Verbena | judged, median (least to most) | goal |\n");
        table.append("|---|---|---|---|---|---|\n");
        figures.forEach(figure -> table.append(figure.line()).append('\n'));
        table.append('\n');
        circumstances.forEach(sentence -> table.append(sentence).append('\n'));
        System.out.print(table);
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("memory.md"), table);
        JsonObject json = new JsonObject()
                .putStrings("circumstances", circumstances)
                .putObjects("rows", figures.stream().map(MemoryFigure::json).toList());
        Files.writeString(folder.resolve("memory.json"), json + "\n");
    }
}
