package io.verbena.tools;

import io.verbena.host.RoceProvider;
import io.verbena.port.faults.PacketFaults;
import io.verbena.port.faults.PathCuts;
import io.verbena.tools.base.Failure;
import io.verbena.tools.command.Problems;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.perf.PathCut;
import io.verbena.tools.perf.PerfOp;
import io.verbena.tools.perf.Timeline;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Options of {@code verbena perf} for connections with several paths. */
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
            paramLabel = "K@Ts",
            split = ",",
            description =
                    "With --paths, for one bandwidth operation of one size: from T seconds on, this side loses every packet that"
                            + " it sends on path K, 1 to N-1. 3@2s-4s ends that after 4 seconds. --svg draws the throughput over time.")
    private List<String> cuts = List.of();

    @Option(
            names = "--begun",
            hidden = true,
            description = "Write the time at which the measurement begins into this file.")
    private Optional<Path> begun = Optional.empty();

    private final PathCuts faults = new PathCuts();

    /** Checks the options. */
    void check(List<PerfOp> ops, int sizes, RnicOptions options) throws UsageProblem {
        if (paths.isEmpty()) {
            UsageProblem.check(cuts.isEmpty(), "--cut needs --paths");
            return;
        }
        int most = ConnectionOptions.MOST_PATHS;
        UsageProblem.check(
                paths.get() >= 1 && paths.get() <= most, "--paths must be 1 to " + most + ", not " + paths.get());
        UsageProblem.check(
                options.provider().equals(ROCE), "--paths needs --provider roce: other providers have one path");
        UsageProblem.check(
                cuts.isEmpty() || ops.size() == 1 && !ops.getFirst().latency() && sizes == 1,
                "--cut applies to one bandwidth operation of one size");
        for (String each : cuts) {
            Optional<PathCut> cut = PathCut.parse(each);
            UsageProblem.check(
                    cut.isPresent() && cut.get().path() >= 1 && cut.get().path() < paths.get(),
                    "--cut must be a path from 1 to " + (paths.get() - 1)
                            + " and a time, such as 1@2s or 1@2s-3.5s, not '" + each + "'");
        }
    }

    /** The options of a connection with these paths. */
    ConnectionOptions with(ConnectionOptions options) {
        return paths.map(options::withPaths).orElse(options);
    }

    /** Opens the RNIC of the side that measures. */
    Rnic open(RnicOptions options) {
        return cuts.isEmpty()
                ? Rnic.open(options)
                : new RoceProvider().open(options, PacketFaults.none().withCuts(faults));
    }

    /** What records the throughput over time: of a bandwidth over several paths. */
    Optional<Timeline> timeline(PerfOp op) throws Failure {
        if (paths.isEmpty() || op.latency()) {
            return Optional.empty();
        }
        if (begun.isPresent()) {
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
        return Optional.of(new Timeline(
                paths.orElseThrow(),
                cuts.stream().map(it -> PathCut.parse(it).orElseThrow()).toList(),
                faults));
    }

    /** The options of the server process. */
    List<String> forPeerProcess() {
        List<String> words = new ArrayList<>();
        paths.ifPresent(it -> words.addAll(List.of("--paths", String.valueOf(it))));
        return words;
    }
}
