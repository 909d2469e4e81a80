package io.verbena.tools;

import io.verbena.host.RoceProvider;
import io.verbena.port.faults.PacketFaults;
import io.verbena.port.faults.PathCuts;
import io.verbena.tools.base.Failure;
import io.verbena.tools.command.Problems;
import io.verbena.tools.command.SurviveArguments;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.perf.ChangeFigures;
import io.verbena.tools.perf.Disturbance;
import io.verbena.tools.perf.PathCut;
import io.verbena.tools.perf.PathFaults;
import io.verbena.tools.perf.PerfClient;
import io.verbena.tools.perf.PerfOp;
import io.verbena.tools.perf.PerfRun;
import io.verbena.tools.perf.Timeline;
import io.verbena.tools.perf.TransportCuts;
import io.verbena.tools.text.JsonObject;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of {@code verbena perf} for connections with several paths, or that survive the end of their transport. */
final class PerfPathArguments {

    private static final String ROCE = "roce";

    @Option(
            names = "--paths",
            paramLabel = "N",
            description =
                    "With --provider roce: number of paths over which each side spreads its packets, 1 to 64. A server that"
                            + " you start yourself needs this option as well.")
    private Optional<Integer> paths = Optional.empty();

    @Option(
            names = "--cut",
            paramLabel = "[K@]Ts",
            split = ",",
            description =
                    "With --survive, for one bandwidth operation of one size: after T seconds all connections leave their transport, as"
                            + " if it had failed, such as 2s. With --paths, for one bandwidth operation of one size: from T seconds on, this side loses every packet that"
                            + " it sends on path K, 1 to N-1. 3@2s-4s ends that after 4 seconds. --svg draws the throughput over time.")
    private List<String> cuts = List.of();

    @Option(
            names = "--begun",
            hidden = true,
            description = "Write the time at which the measurement begins into this file.")
    private Optional<Path> begun = Optional.empty();

    @Mixin
    private final SurviveArguments survive = new SurviveArguments();

    private final PathCuts faults = new PathCuts();

    /**
     * Checks the options.
     *
     * @param run of the first operation and size
     */
    void check(List<PerfOp> ops, int sizes, PerfRun run, RnicOptions options, ConnectionOptions connection)
            throws UsageProblem {
        survive.check(options, connection);
        UsageProblem.check(
                cuts.isEmpty() || ops.size() == 1 && !ops.getFirst().latency() && sizes == 1,
                "--cut applies to one bandwidth operation of one size");
        if (paths.isPresent()) {
            checkPaths(options);
            return;
        }
        UsageProblem.check(cuts.isEmpty() || survive.chosen(), "--cut needs --survive or --paths");
        for (String each : cuts) {
            UsageProblem.check(
                    TransportCuts.parse(each)
                            .filter(it -> it < run.durationNs())
                            .isPresent(),
                    "--cut must be a time such as 2s or 2.5s with --survive, and less than --seconds, not '" + each
                            + "'");
        }
    }

    private void checkPaths(RnicOptions options) throws UsageProblem {
        UsageProblem.check(!survive.chosen(), "--paths and --survive exclude each other");
        int most = ConnectionOptions.MOST_PATHS;
        UsageProblem.check(
                paths.get() >= 1 && paths.get() <= most, "--paths must be 1 to " + most + ", not " + paths.get());
        UsageProblem.check(
                options.provider().equals(ROCE), "--paths needs --provider roce: other providers have one path");
        for (String each : cuts) {
            Optional<PathCut> cut = PathCut.parse(each);
            UsageProblem.check(
                    cut.isPresent() && cut.get().path() >= 1 && cut.get().path() < paths.get(),
                    "--cut must be a path from 1 to " + (paths.get() - 1)
                            + " and a time, such as 1@2s or 1@2s-3.5s, not '" + each + "'");
        }
    }

    /** The options of a connection to this server. */
    ConnectionOptions towards(InetSocketAddress server, ConnectionOptions options) throws UsageProblem, Failure {
        return survive.with(paths.map(options::withPaths).orElse(options), server.getPort());
    }

    /** The options of a connection that a server accepts. */
    ConnectionOptions accepting(ConnectionOptions options, RnicOptions rnic, Duration patience) {
        return SurviveArguments.accepting(paths.map(options::withPaths).orElse(options), rnic, patience);
    }

    /** Opens the RNIC of the side that measures. */
    Rnic open(RnicOptions options) {
        return cuts.isEmpty() || paths.isEmpty()
                ? Rnic.open(options)
                : new RoceProvider().open(options, PacketFaults.none().withCuts(faults));
    }

    /** Fails if connections are to survive the end of their transport and the server has not agreed. */
    void checkAgreed(PerfClient client) throws Failure {
        if (survive.chosen() && !client.survives()) {
            throw new Failure(
                    "The server does not agree to --survive: its version is older, or its provider is another one");
        }
    }

    /** Adds the changes of transport to the figures, if connections are to survive them. */
    void put(JsonObject entry, ChangeFigures changes) {
        if (survive.chosen()) {
            entry.put("transportChanges", changes.json());
        }
    }

    /**
     * What records the throughput over time: of a bandwidth over several paths, or of one that is to survive if a
     * picture is wanted or there is an end to survive.
     *
     * @param migrate makes all connections leave their transport
     * @param drawn whether a picture is wanted
     */
    Optional<Timeline> timeline(PerfOp op, Runnable migrate, boolean drawn) throws Failure {
        boolean survived = survive.chosen() && (drawn || begun.isPresent() || !cuts.isEmpty());
        if (op.latency() || paths.isEmpty() && !survived) {
            return Optional.empty();
        }
        writeBegun();
        return Optional.of(new Timeline(paths.isPresent() ? pathFaults(paths.get()) : transportCuts(migrate)));
    }

    private void writeBegun() throws Failure {
        if (begun.isEmpty()) {
            return;
        }
        // The reader waits for the file, and finds a whole one.
        Path partial = begun.get().resolveSibling(begun.get().getFileName() + ".new");
        Instant now = Instant.now();
        try {
            Files.writeString(partial, String.valueOf(now.getEpochSecond() * 1_000_000_000L + now.getNano()));
            Files.move(partial, begun.get(), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new Failure("Cannot write '" + begun.get() + "': " + Problems.sentence(e), e);
        }
    }

    private Disturbance pathFaults(int count) {
        List<PathCut> parsed =
                cuts.stream().map(it -> PathCut.parse(it).orElseThrow()).toList();
        return new PathFaults(count, parsed, faults);
    }

    private Disturbance transportCuts(Runnable migrate) {
        List<Long> timesNs =
                cuts.stream().map(it -> TransportCuts.parse(it).orElseThrow()).toList();
        return new TransportCuts(timesNs, migrate);
    }

    /** The options of the server process. */
    List<String> forPeerProcess() {
        List<String> words = new ArrayList<>();
        paths.ifPresent(it -> words.addAll(List.of("--paths", String.valueOf(it))));
        return words;
    }
}
