package io.verbena.tools.sim;

import static io.verbena.tools.command.UsageProblem.check;

import io.verbena.sim.Profile;
import io.verbena.sim.World;
import io.verbena.sim.model.Simulation;
import io.verbena.sim.model.SimulationFailure;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.QuietArgument;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.observe.WebArguments;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.tools.text.ProgressBar;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena sim}: replays one seed of the simulation, or runs many. */
@Command(
        name = "sim",
        customSynopsis = "verbena sim [OPTIONS]",
        description = {
            "Run RNICs in virtual time over simulated networks, whose faults follow from a random seed, and check every"
                    + " completion and every byte against a model.",
            "",
            "With --seed, run that seed and print a log of all events. Without it, run many random seeds, one per processor"
                    + " at a time. A failure prints the command that replays it.",
            "",
            "A profile selects the kind of faults. By default the seed selects the profile:",
            "  CALM      no faults",
            "  TORN      streams torn into arbitrary pieces, small buffers",
            "  SLOW      long delays and stalls",
            "  CLOSING   connections closed in the middle of traffic",
            "  KILLED    resets, silence, dead peers, refused connections",
            "  MISUSE    wrong keys, bounds and rights, messages without a receive buffer",
            "  CORRUPT   flipped bits, with CRC",
            "  HOSTILE   garbage in the streams",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena sim                                   1,000 new seeds",
            "  verbena sim --count 1000000 --profile torn    all night",
            "  verbena sim --seed 4711 | less                the log of one seed",
            "  verbena sim --seed 4711 --web --quiet.quiet()         its RNICs live in a browser",
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:all results agree with the model", "1:a result differs from the model", "2:wrong arguments"})
public final class SimCommand extends FiguresCommand {

    private static final long DEFAULT_COUNT = 1000;
    private static final int USUAL_PACE = 200;
    private static final long LOOK_MS = 50;
    private static final long MOST_RANDOM_SEED = 1_000_000_000;

    private final StopSignal stop;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "The seed, or the first of --count seeds. Default: a random one.")
    private Optional<Long> seed = Optional.empty();

    @Option(
            names = {"-C", "--count"},
            paramLabel = "N",
            description = "Number of consecutive seeds, without a log. Default: 1000, or 1 with --seed.")
    private Optional<Long> count = Optional.empty();

    @Option(names = "--profile", paramLabel = "PROFILE", description = "Kind of faults. Default: selected by the seed.")
    private Optional<Profile> profile = Optional.empty();

    @Option(names = "--threads", paramLabel = "N", description = "Seeds at a time. Default: one per processor.")
    private Optional<Integer> threads = Optional.empty();

    @Mixin
    private final QuietArgument quiet = new QuietArgument();

    @Mixin
    private final WebArguments web = new WebArguments();

    @Option(
            names = "--pace",
            paramLabel = "N",
            description = "With --web: events per second, so that one can watch. Default: 200.")
    private Optional<Integer> pace = Optional.empty();

    public SimCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        long many = count.orElse(seed.isPresent() || web.wanted() ? 1 : DEFAULT_COUNT);
        check(many >= 1, "--count must be 1 or more, not " + many);
        check(!web.wanted() || many == 1, "--web shows the RNICs of one seed: leave --count out");
        check(pace.isEmpty() || web.wanted(), "--pace goes with --web");
        check(pace.orElse(1) >= 1, "--pace must be 1 or more, not " + pace.orElse(1));
        int workers = threads.orElse(Runtime.getRuntime().availableProcessors());
        check(workers >= 1 && workers <= 1024, "--threads must be 1 to 1024, not " + workers);
        long first = seed.orElseGet(() -> new SecureRandom().nextLong(MOST_RANDOM_SEED));
        // The engines' own checks belong to the test, and none of these classes is loaded yet.
        SimCommand.class.getClassLoader().setPackageAssertionStatus("io.verbena", true);
        figures.put("firstSeed", first)
                .put("profile", profile.map(Profile::name).orElse(""));
        try {
            if (many == 1) {
                one(first, figures);
            } else {
                many(first, many, workers, figures);
            }
            return true;
        } catch (SimulationFailure e) {
            throw failure(e, figures);
        }
    }

    /** With a page, the RNICs stay visible after the run, as they were at its end. */
    private void one(long only, JsonObject figures) throws Exception {
        if (!web.wanted()) {
            one(only, figures, log() ? Optional.of(this::logLine) : Optional.empty(), _ -> {});
            return;
        }
        WatchedWorld watched = new WatchedWorld("verbena sim --seed " + only, pace.orElse(USUAL_PACE));
        try (AutoCloseable _ = web.page(watched::figures, terminal::say)) {
            Consumer<String> line = text -> {
                watched.event();
                if (log()) {
                    logLine(text);
                }
                stop.check();
            };
            one(only, figures, Optional.of(line), watched::of);
            terminal.say("The simulation has ended; the page stays until Ctrl-C.");
            stop.onServing();
            while (!stop.raised()) {
                TimeUnit.MILLISECONDS.sleep(LOOK_MS);
            }
        }
    }

    private boolean log() {
        return !quiet.quiet() && !json;
    }

    private void one(long only, JsonObject figures, Optional<Consumer<String>> log, Consumer<World> watched)
            throws Failure {
        Simulation.Report report;
        try {
            report = Simulation.run(only, profile.orElseGet(() -> Simulation.profileOf(only)), log, watched);
        } catch (SimulationFailure e) {
            if (e.getCause() instanceof StopSignal.Stopped) {
                throw new Failure("Stopped before the end", e);
            }
            throw e;
        }
        figures.put("seeds", 1)
                .put("operations", report.operations())
                .put("events", report.events())
                .put("virtualNs", report.virtualNs())
                .put("profile", report.profile().name())
                .put("traceHash", Long.toHexString(report.traceHash()));
        say("Seed " + report.seed() + ", " + report.profile() + " ("
                + report.profile().description() + "): " + Figures.count(report.operations()) + " operations, "
                + Figures.count(report.events()) + " events in " + Figures.seconds(report.virtualNs())
                + " of virtual time; trace hash " + Long.toHexString(report.traceHash())
                + ". All results agree with the model.");
    }

    private void logLine(String line) {
        stop.check();
        terminal.out().println(line);
    }

    private void many(long first, long many, int workers, JsonObject figures) throws Failure, InterruptedException {
        ProgressBar bar = terminal.bar(stop, quiet.quiet(), "Seeds", many);
        Seeds seeds = new Seeds(first, many, profile, stop);
        try {
            seeds.run(workers, bar);
        } finally {
            bar.clear();
            figures.put("seeds", seeds.done())
                    .put("operations", seeds.operations())
                    .put("events", seeds.events())
                    .put("virtualNs", seeds.virtualNs())
                    .put("wallNs", seeds.wallNs());
            say(Figures.count(seeds.done()) + " seeds from " + first + " on passed: "
                    + Figures.count(seeds.operations()) + " operations, " + Figures.count(seeds.events())
                    + " events, " + Figures.seconds(seeds.virtualNs()) + " of virtual time in "
                    + Figures.seconds(seeds.wallNs()) + ".");
        }
        if (seeds.done() < many) {
            throw new Failure("Stopped after " + seeds.done() + " of " + many + " seeds");
        }
    }

    /** The whole account, which also says how to replay the seed, goes to standard error before the sentence. */
    private Failure failure(SimulationFailure e, JsonObject figures) {
        List<String> details = String.valueOf(e.getMessage()).lines().toList();
        figures.put("failedSeed", e.seed())
                .put("failedProfile", e.profile().name())
                .putStrings("details", details);
        details.forEach(terminal.err()::println);
        return new Failure(
                "Seed " + e.seed()
                        + " differs from the model; the log above has the details, and --debug shows where it was detected",
                e);
    }

    private void say(String line) {
        if (!json) {
            terminal.out().println(line);
        }
    }
}
