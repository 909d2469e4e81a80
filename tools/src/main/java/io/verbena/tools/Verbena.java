package io.verbena.tools;

import io.verbena.tools.base.StopSignal;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code verbena}: RDMA for the JVM, from a shell. */
@Command(
        name = "verbena",
        versionProvider = VersionText.class,
        description = {
            "RDMA for the JVM: one process reads and writes the memory of another, over plain TCP/IP, without special"
                    + " hardware, drivers or privileges.",
            ""
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena demo                     move 256 MiB to another process and back, and verify it",
            "  verbena ping --server            serve pings, also from Linux's rping",
            "  verbena ping 192.0.2.7           ping a server by RDMA",
            "  verbena serve --export FILE      offer a file as memory that peers read by RDMA",
            "  verbena cp HOST:7176/FILE .      fetch the file by RDMA Reads",
            "  verbena perf all                 latency and bandwidth of each operation",
            "  verbena info                     list adapters, their operations and limits",
            "  verbena handlers                 measure separate CQ handlers and processors",
            "  verbena holes                    data after gaps in the TCP stream, placed on arrival",
            "  verbena memory demo              follow the translation of an address and a key",
            "  verbena sim --count 1000         test simulated RNICs over faulty networks",
            "  verbena upgrade                  convert a TCP connection to RDMA",
            "  verbena connections explain a:disconnect    show a disconnect frame by frame",
            "  verbena fabric serve fat-tree:8  offer a simulated fabric to OpenSM",
            "  verbena channels                 measure the buffers of 1,000 connections",
            "  verbena run -n 2 -- CLASS        run a program as two ranks",
            "",
            "'verbena COMMAND --help' describes a command."
        })
public final class Verbena {

    private static final int MOST_HELP_COLUMNS = 100;

    /** What picocli needs to lay out options and their descriptions. */
    private static final int LEAST_HELP_COLUMNS = 55;

    @Mixin
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private final CommonArguments common = new CommonArguments();

    @Option(names = "--version", versionHelp = true, description = "Print the version and exit.")
    @SuppressWarnings("UnusedVariable") // picocli acts on it
    private boolean version;

    private Verbena() {}

    /** Runs a command and ends the process with its exit code. */
    public static void main(String[] arguments) {
        StopSignal stop = StopSignal.install();
        int code = ExitCode.FAILED;
        try {
            code = run(Terminal.system(), stop, arguments);
        } finally {
            stop.finished(code);
        }
        System.exit(code);
    }

    /** Runs a command. Returns its exit code: 0 when all is well, 1 when it failed, 2 when the arguments are wrong. */
    public static int run(Terminal terminal, StopSignal stop, String... arguments) {
        List<String> words = arguments.length == 0 ? List.of("--help") : List.of(arguments);
        CommandLine command = commandLine(terminal, stop);
        if (words.contains("--help") || words.contains("-h")) {
            command.setUsageHelpWidth(helpWidth(terminal));
        }
        int code = command.execute(words.toArray(String[]::new));
        terminal.out().flush();
        terminal.err().flush();
        return code;
    }

    static CommandLine commandLine(Terminal terminal, StopSignal stop) {
        Problems problems = new Problems(terminal);
        CommandLine root = new CommandLine(new Verbena())
                .addSubcommand(new InfoCommand(terminal))
                .addSubcommand(new PingCommand(terminal, stop))
                .addSubcommand(new PingPongCommand(terminal, stop))
                .addSubcommand(new PerftestCommand(terminal, stop))
                .addSubcommand(new DemoCommand(terminal, stop))
                .addSubcommand(new HandlersCommand(terminal, stop))
                .addSubcommand(new ServeCommand(terminal, stop))
                .addSubcommand(new CpCommand(terminal, stop))
                .addSubcommand(new PerfCommand(terminal, stop))
                .addSubcommand(new HolesCommand(terminal))
                .addSubcommand(new SimCommand(terminal, stop))
                .addSubcommand(new UpgradeCommand(terminal))
                .addSubcommand(new CommandLine(new ConnectionsCommand())
                        .addSubcommand(new ConnectionsCommand.Explain(terminal))
                        .addSubcommand(new ConnectionsCountCommand(terminal)))
                .addSubcommand(new CommandLine(new FabricCommand())
                        .addSubcommand(new FabricRunCommand(terminal, stop))
                        .addSubcommand(new FabricShowCommand(terminal, stop))
                        .addSubcommand(new FabricExplainCommand(terminal))
                        .addSubcommand(new FabricVerbsCommand(terminal, stop))
                        .addSubcommand(new FabricProgramCommand(terminal, stop))
                        .addSubcommand(new FabricBenchCommand(terminal, stop))
                        .addSubcommand(new FabricServeCommand(terminal, stop))
                        .addSubcommand(new FabricRoutesCommand(terminal)))
                .addSubcommand(new CommandLine(new NetCommand())
                        .addSubcommand(new NetUpCommand(terminal))
                        .addSubcommand(new NetDownCommand(terminal)))
                .addSubcommand(new ChannelsCommand(terminal, stop))
                .addSubcommand(new RunCommand(terminal, stop))
                .addSubcommand(new MemoryCommand(terminal, stop))
                .addSubcommand(new DemoPeerCommand(terminal, stop))
                .addSubcommand(new TrainCommand(stop));
        root.setOut(writer(terminal.out()));
        root.setErr(writer(terminal.err()));
        root.setParameterExceptionHandler(problems);
        root.setExecutionExceptionHandler(problems);
        root.setCaseInsensitiveEnumValuesAllowed(true);
        root.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        return root;
    }

    private static int helpWidth(Terminal terminal) {
        int columns = terminal.columns().getAsInt();
        return columns == 0 ? MOST_HELP_COLUMNS : Math.clamp(columns, LEAST_HELP_COLUMNS, MOST_HELP_COLUMNS);
    }

    private static PrintWriter writer(PrintStream stream) {
        return new PrintWriter(new OutputStreamWriter(stream, stream.charset()), true);
    }
}
