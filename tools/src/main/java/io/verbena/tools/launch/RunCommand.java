package io.verbena.tools.launch;

import io.verbena.files.store.LocalName;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.messaging.RankProcesses;
import io.verbena.tools.observe.Observation;
import io.verbena.tools.observe.WebArguments;
import io.verbena.tools.text.JsonObject;
import io.verbena.verbs.RnicProvider;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verbena run}: starts ranks as processes. */
@Command(
        name = "run",
        customSynopsis = "verbena run [OPTIONS] -n N -- CLASS [ARGS]",
        description = {
            "Start a program as N processes on this machine. The processes are the ranks of Communicator.world().",
            "",
            "CLASS is a class with a main method on --class-path, or a Java source file. Such a program also runs under Open"
                    + " MPI's mpirun: set the environment variable VERBENA_BOOTSTRAP to the HOST:PORT at which rank 0 listens,"
                    + " and VERBENA_SECRET to a random text that only these ranks know.",
            "With --json the output of the ranks goes to standard error.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena run -n 2 -- messaging/src/test/java/io/verbena/examples/PingPong.java 8 100000",
            "  verbena run -n 4 -- messaging/src/test/java/io/verbena/examples/SampleSort.java IN OUT",
            "  verbena run -n 8 --class-path target/classes --tag -- org.example.Main",
            "  verbena run -n 4 --web -- org.example.Main       their RNICs live in a browser"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:all ranks succeeded", "1:a rank failed, which is named", "2:wrong arguments"})
public final class RunCommand extends FiguresCommand {

    private static final int MOST_RANKS = 1024;

    private final StopSignal stop;

    @Option(
            names = {"-n", "--ranks"},
            paramLabel = "N",
            required = true,
            description = "Number of ranks.")
    private int ranks;

    @Option(
            names = {"-cp", "--class-path"},
            paramLabel = "PATH",
            description = "Class path of the program. Default: $CLASSPATH, or the current folder.")
    private Optional<String> classPath = Optional.empty();

    @Option(
            names = "--jvm",
            paramLabel = "OPTION",
            description = "An option for the JVM of each rank, for example --jvm=-Xmx1g. Repeatable.")
    private List<String> jvm = new ArrayList<>();

    @Option(
            names = "--provider",
            paramLabel = "NAME[:DEVICE]",
            description = "Kind of RNIC of the ranks; 'verbena info' lists them. A device may follow, as in"
                    + " ibverbs:mlx5_0. Default: the choice of the program, or auto.")
    private Optional<String> provider = Optional.empty();

    @Option(names = "--tag", description = "Prefix each line of output with its rank.")
    private boolean tag;

    @Mixin
    private final WebArguments web = new WebArguments();

    @Parameters(paramLabel = "CLASS [ARGS]", arity = "1..*", description = "The program.")
    private List<String> program = new ArrayList<>();

    public RunCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        if (ranks < 1 || ranks > MOST_RANKS) {
            throw new UsageProblem("-n must be 1 to " + MOST_RANKS + ", not " + ranks);
        }
        String source = program.getFirst();
        if (source.endsWith(".java") && !Files.isRegularFile(LocalName.path(source))) {
            throw new Failure(
                    "There is no file '" + source + "'; the path of a Java source file is relative to the current"
                            + " folder, " + LocalName.path("").toAbsolutePath());
        }
        List<String> options = new ArrayList<>(jvm);
        if (provider.isPresent()) {
            options.addAll(ofProvider(provider.get()));
        }
        String environment = System.getenv().getOrDefault("CLASSPATH", "");
        String path = classPath.orElse(environment.isEmpty() ? "." : environment);
        figures.put("ranks", ranks).putStrings("program", program);
        long startNs = System.nanoTime();
        RankProcesses processes = new RankProcesses(stop);
        try (processes;
                AutoCloseable _ = web.page(() -> Observation.of(processes.handles()), terminal::say)) {
            processes.start(ranks, program, options, path, tag, json ? terminal.err() : terminal.out(), terminal.err());
            processes.await();
            return true;
        } finally {
            figures.put("seconds", (System.nanoTime() - startNs) / 1e9).putObjects("ended", ended(processes));
        }
    }

    /** Options of a JVM whose RNICs are of this provider. One that no rank could open is reported here, once. */
    private static List<String> ofProvider(String name) throws Failure {
        String obstacle = RnicProvider.named(name).obstacle();
        if (!obstacle.isEmpty()) {
            throw new Failure(obstacle);
        }
        return List.of("-Dio.verbena.provider=" + name, "--enable-native-access=ALL-UNNAMED");
    }

    private static List<JsonObject> ended(RankProcesses processes) {
        List<Integer> codes = processes.exitCodes();
        List<JsonObject> ended = new ArrayList<>();
        for (int rank = 0; rank < codes.size(); rank++) {
            ended.add(new JsonObject().put("rank", rank).put("exitCode", codes.get(rank)));
        }
        return ended;
    }
}
