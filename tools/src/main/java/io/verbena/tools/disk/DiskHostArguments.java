package io.verbena.tools.disk;

import static io.verbena.tools.command.UsageProblem.check;
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.verbena.storage.client.Disk;
import io.verbena.storage.client.DiskClient;
import io.verbena.storage.client.DiskOptions;
import io.verbena.storage.host.DiscoveryRecord;
import io.verbena.storage.subsystem.HostIdentity;
import io.verbena.tools.base.Failure;
import io.verbena.tools.command.HostPort;
import io.verbena.tools.command.InTurn;
import io.verbena.tools.command.RnicArguments;
import io.verbena.tools.command.SurviveArguments;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.verbs.ConnectionOptions;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The disk of a server, and how to connect to it: the same for all commands of a host. */
final class DiskHostArguments {
    private static final int PORT = 4420;
    private static final int MOST_QUEUES = 64;
    private static final int MOST_DEPTH = 1023;

    @Parameters(index = "0", paramLabel = "HOST[:PORT]", description = "The server. Default port: 4420.")
    private String address = "";

    @Option(
            names = "--nqn",
            paramLabel = "NAME",
            defaultValue = "",
            description = "Name of the subsystem. Default: the only one that the server offers.")
    private String nqn = "";

    @Option(
            names = "--hostnqn",
            paramLabel = "NAME",
            defaultValue = "",
            description = "Name that this host claims. Default: a random one.")
    private String hostNqn = "";

    @Option(
            names = "--queues",
            paramLabel = "N",
            defaultValue = "1",
            description = "Queues, 1 to 64. Default: ${DEFAULT-VALUE}.")
    private int queues = 1;

    @Option(
            names = "--depth",
            paramLabel = "N",
            defaultValue = "32",
            description = "Commands under way at once in a queue, 1 to 1023. Default: ${DEFAULT-VALUE}.")
    private int depth = 32;

    @Mixin
    private final SurviveArguments survive = new SurviveArguments();

    @ArgGroup(validate = false, heading = "%nRNIC:%n")
    private RnicArguments rnicArguments = new RnicArguments();

    private Optional<InTurn> servers = Optional.empty();

    /** The addresses of the server, of which the one that was reached is used again. */
    private InTurn servers(Terminal terminal) throws UsageProblem, Failure {
        if (servers.isEmpty()) {
            servers = Optional.of(new InTurn(HostPort.parse("HOST", address, PORT), terminal::say));
        }
        return servers.get();
    }

    /** Commands under way at once in all queues. */
    int commandsAtOnce() {
        return queues * depth;
    }

    private DiskOptions options(InetSocketAddress server) throws UsageProblem, Failure {
        check(queues >= 1 && queues <= MOST_QUEUES, "--queues must be 1 to " + MOST_QUEUES + ", not " + queues);
        check(depth >= 1 && depth <= MOST_DEPTH, "--depth must be 1 to " + MOST_DEPTH + ", not " + depth);
        DiskArguments.checkName("--nqn", nqn, true);
        DiskArguments.checkName("--hostnqn", hostNqn, true);
        survive.check(rnicArguments.options(), ConnectionOptions.defaults());
        DiskOptions options = DiskOptions.defaults()
                .withRnic(RnicArguments.towards(rnicArguments.options(), server))
                .withQueues(queues)
                .withDepth(depth);
        DiskOptions surviving =
                survive.survival(server.getPort()).map(options::withSurvival).orElse(options);
        return hostNqn.isEmpty()
                ? surviving
                : surviving.withHost(new HostIdentity(hostNqn, UUID.nameUUIDFromBytes(hostNqn.getBytes(US_ASCII))));
    }

    /** What the server offers to this host. */
    List<DiscoveryRecord> discover(Terminal terminal) throws Exception {
        return servers(terminal).reach(server -> DiskClient.discover(server, options(server)));
    }

    /** Connects to the subsystem. */
    DiskClient connect(Terminal terminal) throws Exception {
        String subsystem = subsystem(terminal);
        return servers(terminal).reach(server -> DiskClient.connect(server, subsystem, options(server)));
    }

    private String subsystem(Terminal terminal) throws Exception {
        if (!nqn.isEmpty()) {
            return nqn;
        }
        List<String> names = discover(terminal).stream()
                .filter(each -> each.kind() == 2)
                .map(DiscoveryRecord::subsystem)
                .distinct()
                .toList();
        if (names.size() != 1) {
            throw new Failure(
                    names.isEmpty()
                            ? "The server offers no subsystem to this host"
                            : "The server offers several subsystems: name one with --nqn, of "
                                    + names.stream().collect(Collectors.joining(", ")));
        }
        return names.getFirst();
    }

    /** The disk of this number. */
    static Disk disk(DiskClient client, int number) throws Failure {
        return client.disk(number)
                .orElseThrow(() -> new Failure("There is no disk " + number + ": the subsystem has "
                        + client.disks().stream()
                                .map(each -> String.valueOf(each.number()))
                                .collect(Collectors.joining(", "))));
    }
}
