package io.verbena.bench;

import io.verbena.bench.profile.Profiler;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code bench/profile}. */
@Command(
        name = "bench/profile",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Profiles RDMA Writes: 8 B (ping-pong), 4 KiB, 64 KiB and 1 MiB, INLINE and with engine threads.",
            "",
            "Each runs in a JVM of its own, first until it is warm, then recorded by the JVM's flight recorder (by processor time "
                    + "where the system can, so that time in system calls counts). Writes profile.md, a table of microseconds a "
                    + "message, and flame graphs.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  bench/profile                          all; writes docs/figures/profile.md and flame-*.svg",
            "  bench/profile --only '64 KiB' --graph . --out /tmp/x",
            "  bench/launch io.verbena.bench.profile.FlameGraph RECORDING.jfr PICTURE.svg     any recording of yours"
        })
public final class Profile implements Callable<Integer> {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--only",
            paramLabel = "REGEX",
            description = "Only what has this in its title, as '64 KiB INLINE'.")
    private String only = "";

    @Option(names = "--graph", paramLabel = "REGEX", description = "Draw a flame graph of what has this in its title.")
    private String graph = "8 B INLINE|64 KiB engine";

    @Option(names = "--seconds", paramLabel = "N", description = "Length of each recording. Default: 4 s.")
    private double seconds = 4;

    @Option(
            names = "--buffers",
            paramLabel = "BYTES",
            description = "Requested size of every socket buffer; 0 for the default of the system. Default: 1 MiB.")
    private int socketBufferBytes = 1 << 20;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Output folder. Default: docs/figures, or bench/target/figures with --only.")
    private Optional<Path> out = Optional.empty();

    private Profile() {}

    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    /** For tests too. */
    static CommandLine commandLine() {
        return new CommandLine(new Profile()).setExecutionExceptionHandler((e, command, parsed) -> {
            command.getErr().println("bench/profile: " + e);
            return 1;
        });
    }

    @Override
    public Integer call() throws Exception {
        if (!(seconds > 0 && seconds <= 600)) {
            throw new ParameterException(spec.commandLine(), "--seconds must be above 0 and at most 600.");
        }
        Path root = Path.of(System.getProperty("verbena.root", "."));
        Path folder = out.orElse(root.resolve(only.isEmpty() ? "docs/figures" : "bench/target/figures"));
        new Profiler(Pattern.compile(only), Pattern.compile(graph), seconds, socketBufferBytes).run(folder, System.out);
        return 0;
    }
}
