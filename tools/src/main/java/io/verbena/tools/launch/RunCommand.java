package io.verbena.tools.launch;

import io.verbena.files.store.LocalName;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Hosts;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.messaging.RankProcesses;
import io.verbena.tools.observe.Observation;
import io.verbena.tools.observe.WebArguments;
import io.verbena.tools.text.JsonObject;
import io.verbena.verbs.RnicProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
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
            "Start a program as N processes on this machine, or on several hosts. The processes are the ranks of"
                    + " Communicator.world() and of MPI.COMM_WORLD.",
            "",
            "CLASS is a class with a main method on --class-path, or a Java source file. Such a program also runs as it is"
                    + " under mpirun, mpiexec, srun, torchrun and in Kubernetes (docs/launchers.md).",
            "With --json the output of the ranks goes to standard error.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena run -n 2 -- messaging/src/test/java/io/verbena/examples/PingPong.java 8 100000",
            "  verbena run -n 4 -- messaging/src/test/java/io/verbena/examples/SampleSort.java IN OUT",
            "  verbena run -n 8 --class-path target/classes --tag -- org.example.Main",
            "  verbena run --hosts a:4,b:4 -cp /shared/app.jar -- org.example.Main",
            "  verbena run -n 4 --web -- org.example.Main       their RNICs live in a browser"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:all ranks succeeded", "1:a rank failed, which is named", "2:wrong arguments"})
public final class RunCommand extends FiguresCommand {

    static final int MOST_RANKS = 1024;

    private final StopSignal stop;

    @Option(
            names = {"-n", "--ranks"},
            paramLabel = "N",
            description = "Number of ranks. With --hosts as many as the hosts have, if it is omitted.")
    private Optional<Integer> ranks = Optional.empty();

    @Option(
            names = "--hosts",
            paramLabel = "HOST[:N],...",
            description =
                    "Hosts and their numbers of ranks. Ranks of 'localhost' are started here, others by ssh, without a"
                            + " password; this folder, this JDK and the class path must be there too.")
    private Optional<String> hosts = Optional.empty();

    @Option(
            names = "--address",
            paramLabel = "ADDRESS",
            description =
                    "With --hosts: address of this machine that the hosts reach. Default: that of the way to the first"
                            + " one.")
    private Optional<String> address = Optional.empty();

    @Option(
            names = "--ssh",
            paramLabel = "COMMAND",
            defaultValue = "ssh -oBatchMode=yes",
            description = "With --hosts: the command that runs another one on a host. Default: ${DEFAULT-VALUE}.")
    private String ssh = "";

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
        RankProcesses.Places places = places();
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
        figures.put("ranks", places.hosts().size()).putStrings("program", program);
        long startNs = System.nanoTime();
        RankProcesses processes = new RankProcesses(stop);
        try (processes;
                AutoCloseable _ = web.page(() -> Observation.of(processes.handles()), terminal::say)) {
            processes.start(
                    new RankProcesses.Program(program, options, path),
                    places,
                    tag,
                    json ? terminal.err() : terminal.out(),
                    terminal.err());
            processes.await();
            return true;
        } finally {
            figures.put("seconds", (System.nanoTime() - startNs) / 1e9).putObjects("ended", ended(processes));
        }
    }

    private RankProcesses.Places places() throws UsageProblem, Failure {
        int count = ranks.orElse(0);
        if (ranks.isPresent() && (count < 1 || count > MOST_RANKS)) {
            throw new UsageProblem("-n must be 1 to " + MOST_RANKS + ", not " + count);
        }
        if (hosts.isEmpty()) {
            if (ranks.isEmpty()) {
                throw new UsageProblem("the number of ranks is missing: -n N, or --hosts HOST:N,...");
            }
            return RankProcesses.Places.here(count);
        }
        List<String> names = HostSlots.hosts(hosts.get(), count);
        List<String> others =
                names.stream().filter(name -> !HostSlots.isLocal(name)).toList();
        if (others.isEmpty()) {
            return RankProcesses.Places.here(names.size());
        }
        List<String> each =
                names.stream().map(name -> HostSlots.isLocal(name) ? "" : name).toList();
        return new RankProcesses.Places(
                each, ownAddress(others.getFirst()), List.of(ssh.strip().split("\\s+")));
    }

    private InetAddress ownAddress(String host) throws Failure {
        String name = address.orElse(host.substring(host.indexOf('@') + 1));
        try {
            InetAddress found = InetAddress.getByName(name);
            return address.isPresent() ? found : Hosts.towards(new InetSocketAddress(found, 9));
        } catch (IOException e) {
            throw new Failure("The host '" + name + "' is not known: " + e.getMessage()
                    + ". If only ssh knows it, set --address to an address of this machine that it reaches.");
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
