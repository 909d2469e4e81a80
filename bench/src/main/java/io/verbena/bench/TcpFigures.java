package io.verbena.bench;

import io.verbena.bench.tcp.TcpComparison;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code bench/tcp}. */
@Command(
        name = "bench/tcp",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Compares the TCP of the library with that of the system (Linux), in one run on this machine.",
            "",
            "The command creates network namespaces of its own with veth and TUN devices, which disappear when it"
                    + " ends. It measures in interleaved pairs, and prints the median of each side with the least and the"
                    + " greatest value, the quotient of the pairs, and the goal. It needs root, because /dev/net/tun is"
                    + " usually reserved for root, and the programs ip and unshare. Close what else needs the processor: a"
                    + " busy machine changes the quotients, too.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  bench/tcp                         everything, about six minutes on a quiet machine",
            "  bench/tcp --only transfers        TCP alone: bandwidth, latency, segments per second",
            "  bench/tcp --only writes --pairs 3",
            "  bench/tcp --only holes            what a path that loses and reorders costs",
            "  bench/tcp --json | jq .rows"
        })
public final class TcpFigures implements Callable<Integer> {

    @Option(names = "--pairs", paramLabel = "N", description = "Number of pairs. Default: 7.")
    private int pairs = 7;

    @Option(names = "--seconds", paramLabel = "S", description = "Duration of a measurement. Default: 1.")
    private double seconds = 1;

    @Option(names = "--only", paramLabel = "PART", description = "transfers, writes or holes. Default: all.")
    private List<TcpComparison.Part> parts = new ArrayList<>(List.of(TcpComparison.Part.values()));

    @Option(names = "--json", description = "Print one JSON object with all samples instead of the table.")
    private boolean json;

    @Option(names = "--inside", hidden = true, description = "This process is in namespaces of its own.")
    private boolean inside;

    private String[] arguments = {};

    private TcpFigures() {}

    public static void main(String[] arguments) {
        TcpFigures command = new TcpFigures();
        command.arguments = arguments.clone();
        System.exit(new CommandLine(command)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((e, line, parsed) -> {
                    line.getErr().println("bench/tcp: " + e.getMessage());
                    return 1;
                })
                .execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        if (pairs < 1 || pairs > 101 || seconds < 0.1 || seconds > 60) {
            System.err.println("bench/tcp: --pairs must be 1 to 101, and --seconds 0.1 to 60");
            return 2;
        }
        if (inside) {
            new TcpComparison(pairs, seconds, parts).run(json, System.out, System.err);
            return 0;
        }
        List<String> command = new ArrayList<>(List.of("unshare", "--net", "--mount"));
        ProcessHandle.current().info().command().ifPresent(command::add);
        command.addAll(List.of(
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                TcpFigures.class.getName(),
                "--inside"));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }
}
