package io.verbena.tools;

import io.verbena.live.LiveRnics;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.CommonArguments;
import io.verbena.tools.command.ExitCode;
import io.verbena.tools.command.FileName;
import io.verbena.tools.command.Problems;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.connections.ConnectionsCommand;
import io.verbena.tools.connections.ConnectionsCountCommand;
import io.verbena.tools.copy.CpCommand;
import io.verbena.tools.copy.ServeCommand;
import io.verbena.tools.disk.DiskAddCommand;
import io.verbena.tools.disk.DiskBenchCommand;
import io.verbena.tools.disk.DiskCommand;
import io.verbena.tools.disk.DiskConnectCommand;
import io.verbena.tools.disk.DiskDiscoverCommand;
import io.verbena.tools.disk.DiskListCommand;
import io.verbena.tools.disk.DiskReadCommand;
import io.verbena.tools.disk.DiskRemoveCommand;
import io.verbena.tools.disk.DiskResizeCommand;
import io.verbena.tools.disk.DiskServeCommand;
import io.verbena.tools.disk.DiskWriteCommand;
import io.verbena.tools.fabric.command.FabricBenchCommand;
import io.verbena.tools.fabric.command.FabricCommand;
import io.verbena.tools.fabric.command.FabricExplainCommand;
import io.verbena.tools.fabric.command.FabricProgramCommand;
import io.verbena.tools.fabric.command.FabricRoutesCommand;
import io.verbena.tools.fabric.command.FabricRunCommand;
import io.verbena.tools.fabric.command.FabricServeCommand;
import io.verbena.tools.fabric.command.FabricShowCommand;
import io.verbena.tools.fabric.command.FabricVerbsCommand;
import io.verbena.tools.handlers.HandlersCommand;
import io.verbena.tools.holes.HolesCommand;
import io.verbena.tools.impair.NetImpairCommand;
import io.verbena.tools.launch.RunCommand;
import io.verbena.tools.memory.MemoryCommand;
import io.verbena.tools.messaging.ChannelsCommand;
import io.verbena.tools.net.NetCommand;
import io.verbena.tools.net.NetDownCommand;
import io.verbena.tools.net.NetUpCommand;
import io.verbena.tools.observe.TopCommand;
import io.verbena.tools.observe.WebCommand;
import io.verbena.tools.perftest.PerftestCommand;
import io.verbena.tools.ping.PingCommand;
import io.verbena.tools.pingpong.PingPongCommand;
import io.verbena.tools.sim.SimCommand;
import io.verbena.tools.sockets.SocketsCommand;
import io.verbena.tools.sockets.SocketsProxyCommand;
import io.verbena.tools.sockets.SocketsRunCommand;
import io.verbena.tools.sockets.SocketsTopCommand;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
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
            "  verbena disk serve disk.img:10G  serve a file as a disk that Linux mounts",
            "  verbena web                      show the RNICs of running processes in a browser",
            "  verbena channels                 measure the buffers of 1,000 connections",
            "  verbena run -n 2 -- CLASS        run a program as two ranks",
            "  verbena sockets run -- java ...  run a program that uses NIO over RDMA, unchanged",
            "",
            "'verbena COMMAND --help' describes a command."
        })
public final class Verbena {

    private static final int MOST_HELP_COLUMNS = 80;

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
            stop.finished();
        }
        System.exit(code); // after Ctrl-C the process ends with the exit code of the signal
    }

    /** Runs a command. Returns its exit code: 0 when all is well, 1 when it failed, 2 when the arguments are wrong. */
    public static int run(Terminal terminal, StopSignal stop, String... arguments) {
        List<String> words = helpAsOption(List.of(arguments));
        CommandLine command = commandLine(terminal, stop, words.getFirst());
        if (words.contains("--help") || words.contains("-h")) {
            command.setUsageHelpWidth(helpWidth(terminal));
        }
        LiveRnics.command(name(command, words));
        int code = command.execute(words.toArray(String[]::new));
        Optional<String> lost = terminal.lostResults();
        lost.ifPresent(
                reason -> terminal.say("verbena: The results are incomplete, because standard output could not be"
                        + " written: " + reason + " Write them elsewhere and run the command again."));
        return lost.isPresent() && code == ExitCode.OK ? ExitCode.FAILED : code;
    }

    /** The words that name the command, without its options: how other processes show this one. */
    private static String name(CommandLine root, List<String> words) {
        StringBuilder name = new StringBuilder("verbena");
        CommandLine at = root;
        for (String word : words) {
            CommandLine named = at.getSubcommands().get(word);
            if (named == null) {
                break;
            }
            name.append(' ').append(word);
            at = named;
        }
        return name.toString();
    }

    /** {@code help COMMAND} is the same as {@code COMMAND --help}. */
    private static List<String> helpAsOption(List<String> words) {
        if (words.isEmpty() || words.getFirst().equals("help")) {
            return Stream.concat(words.stream().skip(1), Stream.of("--help")).toList();
        }
        return words;
    }

    /** With all commands. */
    public static CommandLine commandLine(Terminal terminal, StopSignal stop) {
        return commandLine(terminal, stop, "");
    }

    /**
     * With the command of this name only, or with all if there is none: picocli inspects the options of each command that it knows, which would
     * be most of the time that a short command takes to start.
     */
    private static CommandLine commandLine(Terminal terminal, StopSignal stop, String name) {
        Problems problems = new Problems(terminal);
        CommandLine root = new CommandLine(new Verbena());
        Map<String, Supplier<Object>> commands = commands(terminal, stop);
        Supplier<Object> named = commands.get(name);
        (named == null ? commands.values() : List.of(named)).forEach(command -> root.addSubcommand(command.get()));
        root.setOut(writer(terminal.out()));
        root.setErr(writer(terminal.err()));
        root.setParameterExceptionHandler(problems);
        root.setExecutionExceptionHandler(problems);
        root.registerConverter(Path.class, new FileName());
        root.setCaseInsensitiveEnumValuesAllowed(true);
        root.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        return root;
    }

    /** The commands by their names, in the order of the help. */
    static Map<String, Supplier<Object>> commands(Terminal terminal, StopSignal stop) {
        Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
        commands.put("info", () -> new InfoCommand(terminal));
        commands.put("ping", () -> new PingCommand(terminal, stop));
        commands.put("pingpong", () -> new PingPongCommand(terminal, stop));
        commands.put("perftest", () -> new PerftestCommand(terminal, stop));
        commands.put("demo", () -> new DemoCommand(terminal, stop));
        commands.put("handlers", () -> new HandlersCommand(terminal, stop));
        commands.put("serve", () -> new ServeCommand(terminal, stop));
        commands.put("cp", () -> new CpCommand(terminal, stop));
        commands.put("perf", () -> new PerfCommand(terminal, stop));
        commands.put("holes", () -> new HolesCommand(terminal));
        commands.put("sim", () -> new SimCommand(terminal, stop));
        commands.put("upgrade", () -> new UpgradeCommand(terminal));
        commands.put("connections", () -> connections(terminal));
        commands.put("fabric", () -> fabric(terminal, stop));
        commands.put("net", () -> net(terminal, stop));
        commands.put("sockets", () -> sockets(terminal, stop));
        commands.put("disk", () -> disk(terminal, stop));
        commands.put("top", () -> new TopCommand(terminal, stop));
        commands.put("web", () -> new WebCommand(terminal, stop));
        commands.put("channels", () -> new ChannelsCommand(terminal, stop));
        commands.put("run", () -> new RunCommand(terminal, stop));
        commands.put("memory", () -> new MemoryCommand(terminal, stop));
        commands.put("demo-peer", () -> new DemoPeerCommand(terminal, stop));
        commands.put("train", () -> new TrainCommand(stop));
        commands.put("manuals", () -> new ManualsCommand(terminal, stop));
        return commands;
    }

    private static CommandLine connections(Terminal terminal) {
        return new CommandLine(new ConnectionsCommand())
                .addSubcommand(new ConnectionsCommand.Explain(terminal))
                .addSubcommand(new ConnectionsCountCommand(terminal));
    }

    private static CommandLine fabric(Terminal terminal, StopSignal stop) {
        return new CommandLine(new FabricCommand())
                .addSubcommand(new FabricRunCommand(terminal, stop))
                .addSubcommand(new FabricShowCommand(terminal, stop))
                .addSubcommand(new FabricExplainCommand(terminal))
                .addSubcommand(new FabricVerbsCommand(terminal, stop))
                .addSubcommand(new FabricProgramCommand(terminal, stop))
                .addSubcommand(new FabricBenchCommand(terminal, stop))
                .addSubcommand(new FabricServeCommand(terminal, stop))
                .addSubcommand(new FabricRoutesCommand(terminal));
    }

    private static CommandLine sockets(Terminal terminal, StopSignal stop) {
        return new CommandLine(new SocketsCommand())
                .addSubcommand(new SocketsRunCommand(terminal, stop))
                .addSubcommand(new SocketsProxyCommand(terminal, stop))
                .addSubcommand(new SocketsTopCommand(terminal, stop));
    }

    private static CommandLine disk(Terminal terminal, StopSignal stop) {
        return new CommandLine(new DiskCommand())
                .addSubcommand(new DiskServeCommand(terminal, stop))
                .addSubcommand(new DiskAddCommand(terminal))
                .addSubcommand(new DiskRemoveCommand(terminal))
                .addSubcommand(new DiskResizeCommand(terminal))
                .addSubcommand(new DiskListCommand(terminal))
                .addSubcommand(new DiskDiscoverCommand(terminal))
                .addSubcommand(new DiskConnectCommand(terminal))
                .addSubcommand(new DiskReadCommand(terminal, stop))
                .addSubcommand(new DiskWriteCommand(terminal, stop))
                .addSubcommand(new DiskBenchCommand(terminal, stop));
    }

    private static CommandLine net(Terminal terminal, StopSignal stop) {
        return new CommandLine(new NetCommand())
                .addSubcommand(new NetUpCommand(terminal))
                .addSubcommand(new NetDownCommand(terminal))
                .addSubcommand(new NetImpairCommand(terminal, stop));
    }

    private static int helpWidth(Terminal terminal) {
        int columns = terminal.columns().getAsInt();
        return columns == 0 ? MOST_HELP_COLUMNS : Math.clamp(columns, LEAST_HELP_COLUMNS, MOST_HELP_COLUMNS);
    }

    private static PrintWriter writer(PrintStream stream) {
        return new PrintWriter(new OutputStreamWriter(stream, stream.charset()), true);
    }
}
