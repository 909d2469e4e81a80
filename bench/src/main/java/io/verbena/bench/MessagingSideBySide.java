package io.verbena.bench;

import io.verbena.bench.side.MessagingComparison;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench/launch io.verbena.bench.MessagingSideBySide}. */
@Command(
        name = "MessagingSideBySide",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Compares Verbena's messages between two ranks with those of Open MPI and MPICH over TCP, on this machine.",
            "",
            "Open MPI and MPICH have no figures where they are not installed (Debian: openmpi-bin, libopenmpi-dev, mpich, "
                    + "libmpich-dev)."
        })
public final class MessagingSideBySide implements Callable<Integer> {

    @Option(names = "--rounds", paramLabel = "N", description = "Number of runs of each contestant. Default: 7.")
    private int rounds = 7;

    @Option(
            names = "--only",
            paramLabel = "REGEX",
            description = "Only measurements in whose name this is found: latency-8, bandwidth-64k, bandwidth-4m.")
    private String only = "";

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Output folder. Default: docs/figures, or bench/target/figures for a part.")
    private Optional<Path> out = Optional.empty();

    private MessagingSideBySide() {}

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new MessagingSideBySide()).execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        Path root = Path.of(System.getProperty("verbena.root", "."));
        Path folder = out.orElse(root.resolve(only.isEmpty() ? "docs/figures" : "bench/target/figures"));
        return new MessagingComparison(Pattern.compile(only), rounds).run(folder, System.out);
    }
}
