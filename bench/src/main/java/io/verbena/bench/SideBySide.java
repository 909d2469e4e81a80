package io.verbena.bench;

import io.verbena.bench.side.Comparison;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code bench/side-by-side}. */
@Command(
        name = "bench/side-by-side",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Compares Verbena with plain NIO, UCX over TCP, Netty and jucx, through shared memory with UCX, Open MPI"
                    + " and MPICH, and over RoCEv2 with C programs, in one run on this machine.",
            "",
            "Each row runs in a JVM of its own, in which both sides are warmed up and then take turns; the table shows"
                    + " medians and the spread of the pairs' ratios. A full run takes about twenty minutes. Close what"
                    + " else needs the processor: figures of a busy machine say little.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  bench/side-by-side                         everything; writes docs/figures/side-by-side.md, .svg, .json",
            "  bench/side-by-side --quick                 about seven minutes, rougher",
            "  bench/side-by-side --only 'write_lat'      rows whose title matches",
            "  bench/side-by-side --only 'shared memory'  the rows of the provider shm",
            "  bench/side-by-side --only '^roce'          the rows of the provider roce",
            "  bench/side-by-side --list                  the titles"
        })
public final class SideBySide implements Callable<Integer> {

    static final int LEAST_PAIRS = 3;
    private static final int MOST_PAIRS = 101;
    private static final int DEFAULT_PAIRS = 7;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--quick", description = "Shorter warm-up and runs.")
    private boolean quick;

    @Option(names = "--only", paramLabel = "REGEX", description = "Only rows in whose title this is found.")
    private String only = "";

    @Option(names = "--pairs", paramLabel = "N", description = "Number of pairs of runs per row. Default: 7.")
    private int pairs = DEFAULT_PAIRS;

    @Option(
            names = "--buffers",
            paramLabel = "BYTES",
            description = "Requested size of every socket buffer; 0 for the default of the system. Default: 1 MiB.")
    private int socketBufferBytes = 1 << 20;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Output folder. Default: docs/figures, or bench/target/figures for a part of the table.")
    private Optional<Path> out = Optional.empty();

    @Option(names = "--list", description = "Print the titles of the rows, and nothing else.")
    private boolean list;

    private SideBySide() {}

    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    /** For tests too. */
    static CommandLine commandLine() {
        return new CommandLine(new SideBySide()).setExecutionExceptionHandler((e, command, parsed) -> {
            command.getErr().println("bench/side-by-side: " + e);
            return 1;
        });
    }

    @Override
    public Integer call() throws Exception {
        Comparison comparison = settings();
        if (list) {
            comparison.titles().forEach(System.out::println);
            return 0;
        }
        return comparison.run(folder(), System.out);
    }

    /** Checks the arguments. */
    private Comparison settings() {
        if (pairs < LEAST_PAIRS || pairs > MOST_PAIRS) {
            throw wrong("--pairs must be " + LEAST_PAIRS + " to " + MOST_PAIRS + ", not " + pairs + ".");
        }
        if (socketBufferBytes < 0) {
            throw wrong("--buffers must not be negative.");
        }
        try {
            Comparison comparison = new Comparison(Pattern.compile(only), pairs, quick, socketBufferBytes);
            if (comparison.titles().isEmpty()) {
                throw wrong("--only " + only + " matches no row; --list prints the titles.");
            }
            return comparison;
        } catch (PatternSyntaxException e) {
            throw wrong("--only is no regular expression: " + e.getDescription() + ".");
        }
    }

    private Path folder() {
        Path root = Path.of(System.getProperty("verbena.root", "."));
        return out.orElse(root.resolve(quick || !only.isEmpty() ? "bench/target/figures" : "docs/figures"));
    }

    private ParameterException wrong(String sentence) {
        return new ParameterException(spec.commandLine(), sentence);
    }
}
