package io.verbena.tools;

import static io.verbena.tools.command.UsageProblem.check;

import io.verbena.base.Times;
import io.verbena.tools.command.ByteSize;
import io.verbena.tools.command.Seconds;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.osu.OsuRun;
import io.verbena.tools.osu.OsuWarmUp;
import io.verbena.tools.perf.OpeningWarmUp;
import io.verbena.tools.perf.PerfOp;
import io.verbena.tools.perf.PerfRun;
import io.verbena.tools.perf.PerfSettings;
import io.verbena.tools.perf.WarmUp;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Options of {@code verbena perf} that say which messages are sent, and for how long. */
final class PerfLoadArguments {

    private static final int LATENCY_BYTES = 8;
    private static final int BANDWIDTH_BYTES = 1 << 16;
    private static final int LARGEST_OF_ALL = 8 << 20;
    private static final double LONGEST_SECONDS = 3600;

    @Option(
            names = {"-S", "--size"},
            paramLabel = "BYTES",
            split = ",",
            converter = ByteSize.class,
            description = "Message size, or several such as 64,4KiB,1MiB. Default: 8 for latency, 64KiB for bandwidth."
                    + " Atomics always have 8.")
    private List<Long> sizes = List.of();

    @Option(names = "--all-sizes", description = "All powers of two from 2 bytes to 8 MiB.")
    private boolean allSizes;

    @Option(
            names = {"-C", "--iterations"},
            paramLabel = "N",
            description = "Number of messages of each measurement. Default: as many as fit into --seconds.")
    private Optional<Long> iterations = Optional.empty();

    @Option(
            names = "--seconds",
            paramLabel = "SECONDS",
            description = "Duration of each measurement, or its limit with --iterations. Default: 1, or 3600 with"
                    + " --iterations.")
    private Optional<Double> seconds = Optional.empty();

    @Option(
            names = "--warm-up",
            paramLabel = "SECONDS",
            description =
                    "Duration of the unmeasured run before each measurement. Default: until the compiler of Java is quiet"
                            + " and the figures are steady, at most 6; for latencies, RNICs warm up for 0.8 s when they are opened, too.")
    private Optional<Double> warmUpSeconds = Optional.empty();

    @Option(
            names = "--qps",
            paramLabel = "N",
            defaultValue = "1",
            description = "Bandwidth: number of queue pairs, each with its own connection. Default: ${DEFAULT-VALUE}.")
    private int queuePairs = 1;

    @Option(
            names = "--depth",
            paramLabel = "N",
            defaultValue = "128",
            description = "Bandwidth: number of outstanding messages on each queue pair. Default: ${DEFAULT-VALUE}.")
    private int depth = 128;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "16",
            description = "Bandwidth: number of messages posted per doorbell. Default: ${DEFAULT-VALUE}.")
    private int batch = 16;

    /** Checks everything that these operations need. */
    void checkFor(List<PerfOp> ops) throws UsageProblem {
        check(sizes.isEmpty() || !allSizes, "Give either --size or --all-sizes, not both");
        for (long size : sizes) {
            check(size >= 1 && size <= PerfSettings.MOST_SIZE, "--size must be 1 byte to 256 MiB, not " + size);
        }
        check(iterations.orElse(1L) >= 1, "--iterations must be 1 or more, not " + iterations.orElse(1L));
        range("--qps", queuePairs, PerfSettings.MOST_QUEUE_PAIRS);
        range("--depth", depth, PerfSettings.MOST_DEPTH);
        range("--batch", batch, PerfSettings.MOST_DEPTH);
        warmUp(false);
        duration();
        long memory = PerfSettings.memoryBytes(largest(ops), queuePairs);
        check(
                memory <= PerfSettings.MOST_MEMORY,
                "This run needs " + Figures.bytes(memory) + " of memory on each side, and the limit is "
                        + Figures.bytes(PerfSettings.MOST_MEMORY) + ": use a smaller --size or fewer --qps");
    }

    private static void range(String option, int value, int most) throws UsageProblem {
        check(value >= 1 && value <= most, option + " must be 1 to " + most + ", not " + value);
    }

    /** The message sizes that were chosen; empty for the default ones. */
    List<Long> sizes() {
        return sizes;
    }

    /** The number of messages that was chosen; 0 for the default one. */
    long iterations() {
        return iterations.orElse(0L);
    }

    /** The message sizes of an operation. */
    List<Integer> sizes(PerfOp op) {
        if (op == PerfOp.FETCH_ADD_LAT) {
            return List.of(Long.BYTES);
        }
        if (allSizes) {
            List<Integer> all = new ArrayList<>();
            for (int size = 2; size <= LARGEST_OF_ALL; size *= 2) {
                all.add(size);
            }
            return all;
        }
        return sizes.isEmpty()
                ? List.of(op.latency() ? LATENCY_BYTES : BANDWIDTH_BYTES)
                : sizes.stream().map(Math::toIntExact).toList();
    }

    /** The largest message size of all these operations. */
    int largest(List<PerfOp> ops) {
        return ops.stream()
                .flatMap(op -> sizes(op).stream())
                .max(Integer::compare)
                .orElseThrow();
    }

    /** One measurement. */
    PerfRun run(PerfOp op, int size) throws UsageProblem {
        return new PerfRun(op, size, iterations.orElse(Long.MAX_VALUE), duration(), depth, batch);
    }

    int queuePairs() {
        return queuePairs;
    }

    int depth() {
        return depth;
    }

    /**
     * The warm-up of a measurement.
     *
     * @param first whether it is the first one of its operation
     */
    WarmUp warmUp(boolean first) throws UsageProblem {
        return warmUpSeconds.isPresent() ? WarmUp.lasting(fixedWarmUp()) : WarmUp.untilSteady(first);
    }

    /**
     * Options with a warm-up at opening, which begins now, if they are those of a latency and the user has not chosen a
     * time before each measurement.
     */
    RnicOptions beginWarmUp(RnicOptions options) {
        RnicOptions warmed = warmUpSeconds.isEmpty() ? OpeningWarmUp.of(options) : options;
        OpeningWarmUp.begin(warmed);
        return warmed;
    }

    /** The options again, after their warm-up. */
    RnicOptions endWarmUp(RnicOptions options) {
        OpeningWarmUp.awaitEnd(options);
        return options;
    }

    /** Opens the RNIC of a server that another process has started. */
    Rnic open(RnicOptions options) {
        return Rnic.open(endWarmUp(beginWarmUp(options)));
    }

    /** Options for the server process. */
    List<String> forPeerProcess() {
        return warmUpSeconds.isEmpty() ? List.of() : List.of("--warm-up", "0");
    }

    /** The same for the measurements of the OSU benchmarks. */
    OsuRun.Load osu() throws UsageProblem {
        long warmUpNs = warmUpSeconds.isPresent() ? Times.nanos(fixedWarmUp()) : OsuWarmUp.UNTIL_STEADY;
        return new OsuRun.Load(sizes(), iterations(), warmUpNs);
    }

    /** The warm-up in words. */
    String warmUpText() throws UsageProblem {
        return warmUpSeconds.isPresent() ? Figures.seconds(fixedWarmUp()) + " of warm-up each" : "warm-up until steady";
    }

    private Duration fixedWarmUp() throws UsageProblem {
        return limited("--warm-up", warmUpSeconds.orElseThrow(), 0);
    }

    private long duration() throws UsageProblem {
        double usual = iterations.isPresent() ? LONGEST_SECONDS : 1;
        return Times.nanos(limited("--seconds", seconds.orElse(usual), 0.001));
    }

    private static Duration limited(String option, double seconds, double least) throws UsageProblem {
        Duration span = Seconds.of(option, seconds, least);
        check(Times.nanos(span) <= PerfRun.MOST_NS, option + " must be at most 3600 seconds, an hour, not " + seconds);
        return span;
    }

    void describe(JsonObject figures) throws UsageProblem {
        figures.put("queuePairs", queuePairs).put("depth", depth).put("batch", batch);
    }

    /** The load in words, for the legend of a picture. */
    String legend() {
        return queuePairs + " queue pair(s), depth " + depth + ", batches of " + batch;
    }
}
