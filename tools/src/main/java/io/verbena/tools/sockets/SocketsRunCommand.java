package io.verbena.tools.sockets;

import io.verbena.sockets.agent.AgentJar;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.CommonArguments;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.observe.Observation;
import io.verbena.tools.observe.WebArguments;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verbena sockets run}: runs a command whose JVMs use the provider of channels. */
@Command(
        name = "run",
        customSynopsis = "verbena sockets run [OPTIONS] -- COMMAND [ARGS]",
        description = {
            "Run a command whose JVMs use RDMA for NIO channels and sockets: java itself, or a script that starts it.",
            "",
            "The agent is added to JAVA_TOOL_OPTIONS, so that every JVM that the command starts has it; they must be of Java"
                    + " 25 or newer. Their server sockets accept RDMA and TCP at the same port. They connect by RDMA to the"
                    + " peers that --rdma lists, and by TCP to all others.",
            "The JVM prints a line about JAVA_TOOL_OPTIONS when it starts. A script that reads the first line of 'java"
                    + " -version' needs the agent in a variable of its own instead, such as KAFKA_OPTS.",
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

    @Mixin
    private final ProgramArguments program = new ProgramArguments();

    @Mixin
    private final SocketsArguments sockets = new SocketsArguments();

    @Option(
            names = "--train",
            description =
                    "Run the command once while the JVM records its ahead-of-time cache, which later runs of the same"
                            + " command use. The command must start one JVM, and end by itself.")
    private boolean train;

    @Mixin
    private final WebArguments web = new WebArguments();

    @Parameters(paramLabel = "COMMAND [ARGS]", arity = "1..*", description = "The command.")
    private List<String> command = new ArrayList<>();

    public SocketsRunCommand(Terminal terminal, StopSignal stop) {
        this.terminal = terminal;
        this.stop = stop;
    }

    @Override
    public Integer call() throws Exception {
        Map<String, String> options = new LinkedHashMap<>(program.named());
        options.putAll(sockets.named());
        try {
            sockets.options().withRdma(program.rdma().split(","));
            AtomicReference<List<ProcessHandle>> started = new AtomicReference<>(List.of());
            try (AutoCloseable _ = web.page(() -> Observation.of(started.get()), this::note)) {
                Process process = start(AgentJar.arguments(options));
                started.set(List.of(process.toHandle()));
                stop.follow(process);
                return process.waitFor();
            }
        } catch (IllegalArgumentException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        }
    }

    private void note(String sentence) {
        terminal.say("verbena: " + sentence);
    }

    private Process start(String arguments) throws Failure {
        try {
            Path jar = AgentJar.make(this::note);
            String agent = quoted("-javaagent:" + jar + "=" + arguments);
            Path cache = CommandCache.of(command, jar);
            String added = Stream.of(Stream.of(agent, MODULES), cacheOption(cache).stream())
                    .flatMap(Function.identity())
                    .collect(Collectors.joining(" "));
            ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
            builder.environment().merge(VARIABLE, added, (before, more) -> before + " " + more);
            explain(agent, cache);
            return builder.start();
        } catch (IOException e) {
            throw new Failure("Cannot start '" + command.getFirst() + "': " + e.getMessage(), e);
        }
    }

    /** The JVM makes a cache, without a warning for each class that it leaves out, or uses the one that was made. */
    private Optional<String> cacheOption(Path cache) {
        if (train) {
            return Optional.of(quoted("-XX:AOTCacheOutput=" + cache) + " -Xlog:aot=error");
        }
        return Files.exists(cache) ? Optional.of(quoted("-XX:AOTCache=" + cache)) : Optional.empty();
    }

    private void explain(String agent, Path cache) {
        terminal.say("verbena: " + VARIABLE + " has " + agent + ": server sockets accept RDMA and TCP at one port.");
        terminal.say("verbena: " + connections()
                + " TCP carries asynchronous channels, which the JDK opens without a provider,"
                + " and native transports, which are switched off where that is possible; 'verbena sockets top'"
                + " shows what a program has of them.");
        if (train) {
            terminal.say("verbena: The JVM records the cache " + cache
                    + " when it ends; later runs of this command use it.");
        } else if (command.stream().anyMatch(word -> word.startsWith("-XX:AOTCache="))
                || String.valueOf(System.getenv("JDK_JAVA_OPTIONS")).contains("-XX:AOTCache=")) {
            terminal.say(
                    "verbena: The JVM refuses an ahead-of-time cache that was made without the agent, and starts more"
                            + " slowly: make one with 'verbena sockets run --train -- COMMAND'.");
        }
    }

    private String connections() {
        if (program.rdma().isBlank()) {
            return sockets.provider().equals("auto") || sockets.provider().equals("shm")
                    ? "Connections on this host share memory; all others use TCP, and --rdma LIST names peers to reach by RDMA."
                    : "All connections that are made use TCP; --rdma LIST names peers to reach by RDMA.";
        }
        return "Connections to " + program.rdma() + " use RDMA (provider " + sockets.provider() + "), all others TCP.";
    }

    /** The JVM separates options at white space, except within quotation marks. */
    private static String quoted(String option) {
        return option.chars().anyMatch(Character::isWhitespace) ? '"' + option + '"' : option;
    }
}
