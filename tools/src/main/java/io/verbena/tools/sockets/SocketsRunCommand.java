package io.verbena.tools.sockets;

import io.verbena.sockets.agent.AgentJar;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.CommonArguments;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verbena sockets run}: runs a command whose JVMs use the provider of channels. */
@Command(
        name = "run",
        customSynopsis = "verbena sockets run [OPTIONS] -- COMMAND [ARGS]",
        description = {
            "Run a command whose JVMs use RDMA for NIO channels: java itself, or a script that starts it.",
            "",
            "The agent is added to JAVA_TOOL_OPTIONS, so that every JVM that the command starts has it; they must be of Java"
                    + " 25 or newer. Their server sockets accept RDMA and TCP at the same port. They connect by RDMA to the"
                    + " peers that --rdma lists, and by TCP to all others.",
            "Signals are passed on, and the exit code is that of the command.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena sockets run -- bin/kafka-server-start.sh config/server.properties",
            "  verbena sockets run --rdma 'kafka-*:9092' -- java -cp app.jar org.example.Producer",
            "  verbena sockets run --rdma 10.0.0.0/8,localhost --provider iwarp -- ./start.sh"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"1:the command could not be started", "2:wrong arguments", "other:that of the command"})
public final class SocketsRunCommand implements Callable<Integer> {

    /** A program that is a module has only the modules that it names. */
    private static final String MODULES = "--add-modules=jdk.jfr,jdk.net";

    private static final String VARIABLE = "JAVA_TOOL_OPTIONS";

    private final Terminal terminal;
    private final StopSignal stop;

    @Mixin
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private final CommonArguments common = new CommonArguments();

    @Option(
            names = "--rdma",
            paramLabel = "LIST",
            description = "Peers to reach by RDMA, separated by commas: names or addresses with *, networks such as"
                    + " 10.0.0.0/8, each with :PORT if only that port is meant. List servers that also run with this"
                    + " provider. Default: none.")
    private String rdma = "";

    @Mixin
    private final SocketsArguments sockets = new SocketsArguments();

    @Parameters(paramLabel = "COMMAND [ARGS]", arity = "1..*", description = "The command.")
    private List<String> command = new ArrayList<>();

    public SocketsRunCommand(Terminal terminal, StopSignal stop) {
        this.terminal = terminal;
        this.stop = stop;
    }

    @Override
    public Integer call() throws Exception {
        try {
            sockets.options().withRdma(rdma.split(","));
        } catch (IllegalArgumentException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        }
        Process process = start();
        stop.follow(process);
        return process.waitFor();
    }

    private Process start() throws Failure {
        try {
            String option = option();
            ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
            Map<String, String> environment = builder.environment();
            environment.merge(VARIABLE, option, (before, added) -> before + " " + added);
            environment.merge(VARIABLE, MODULES, (before, added) -> before + " " + added);
            terminal.say(
                    "verbena: " + VARIABLE + " has " + option + ": server sockets accept RDMA and TCP at one port.");
            terminal.say(
                    rdma.isBlank()
                            ? "verbena: All connections that are made use TCP; --rdma LIST names peers to reach by RDMA."
                            : "verbena: Connections to " + rdma + " use RDMA (provider " + sockets.provider()
                                    + "), all others TCP; 'verbena sockets top' shows them.");
            return builder.start();
        } catch (IOException e) {
            throw new Failure("Cannot start '" + command.getFirst() + "': " + e.getMessage(), e);
        }
    }

    /** The JVM separates options at white space, except within quotation marks. */
    private String option() throws IOException {
        String list = rdma.isBlank() ? "" : "rdma=" + rdma.replaceAll("\\s", "") + ",";
        String others = sockets.named().entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue())
                .collect(Collectors.joining(","));
        String option = "-javaagent:" + AgentJar.make(sentence -> terminal.say("verbena: " + sentence)) + "=" + list + others;
        return option.chars().anyMatch(Character::isWhitespace) ? '"' + option + '"' : option;
    }
}
