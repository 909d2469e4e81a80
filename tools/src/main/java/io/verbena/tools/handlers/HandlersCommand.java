package io.verbena.tools.handlers;

import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.ChartArgument;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.QuietArgument;
import io.verbena.tools.command.RnicArguments;
import io.verbena.tools.command.Seconds;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.tools.text.ProgressBar;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.RnicProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena handlers}: measures the effect of separate CQ handlers, processors and engines on this machine. */
@Command(
        name = "handlers",
        customSynopsis = "verbena handlers [OPTIONS]",
        description = {
            "Measure how long completions take to reach their CQ handler.",
            "",
            "Two consumers share one RNIC: one receives urgent messages, the other writes blocks to a disk. A disk write is a"
                    + " command by Send; the disk's side fetches 64 KiB by RDMA Read, computes a checksum, writes the block to"
                    + " a file and answers by Send.",
            "",
            "The same work runs in five arrangements: one CQ handler for both consumers; one handler per consumer on one"
                    + " processor, messages first; one handler and one processor per consumer; in addition, one engine of the"
                    + " RNIC bound to the core of each processor; and in addition, an urgent processor for messages, which the"
                    + " system runs as soon as it is woken. A table for each arrangement shows the times.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena handlers                       takes about half a minute",
            "  verbena handlers --seconds 10 --svg handlers.svg",
            "  verbena handlers --pin 0,1             bind the processors to cores",
            "  verbena handlers --scaling --rounds 7  up to 64 processors, in virtual time",
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:all blocks were written and verified",
            "1:a block or a connection failed",
            "2:wrong arguments"
        })
public final class HandlersCommand extends FiguresCommand {

    private static final Duration WARM_UP = Duration.ofMillis(700);
    private static final int MOST_ROUNDS = 101;

    private final StopSignal stop;

    @Mixin
    private final RnicArguments rnic = new RnicArguments();

    @Option(
            names = {"-t", "--seconds"},
            paramLabel = "S",
            defaultValue = "1.5",
            description = "Duration of each arrangement in a round. Default: ${DEFAULT-VALUE}.")
    private double seconds = 1.5;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "3",
            description = "Number of rounds through all arrangements; the median is shown. Default: ${DEFAULT-VALUE}.")
    private int rounds = 3;

    @Option(
            names = "--disks",
            paramLabel = "N",
            defaultValue = "4",
            description =
                    "Number of connections of the storage consumer, each with its own CQ. Default: ${DEFAULT-VALUE}.")
    private int disks = 4;

    @Option(
            names = "--depth",
            paramLabel = "N",
            defaultValue = "16",
            description = "Disk writes in flight on each connection. Default: ${DEFAULT-VALUE}.")
    private int depth = 16;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "16",
            description = "Maximum number of completions that the storage consumer handles per event. Default:"
                    + " ${DEFAULT-VALUE}.")
    private int batch = 16;

    @Option(
            names = "--every",
            paramLabel = "US",
            defaultValue = "200",
            description = "Microseconds from one message to the next. Default: ${DEFAULT-VALUE}.")
    private long everyUs = 200;

    @Option(
            names = "--pin",
            paramLabel = "CORES",
            split = ",",
            description = "Cores to bind the processors to, first that of the storage consumer. Linux only.")
    private List<Integer> cores = List.of();

    @Option(
            names = "--scaling",
            description =
                    "Show how events scale with processors instead. The costs of an event and of a cache line are measured"
                            + " here; one and two processors are measured and modelled, up to 64 are modelled in virtual time.")
    private boolean scaling;

    @Option(
            names = "--file",
            paramLabel = "FILE",
            description = "File for the blocks, which is kept. Default: a temporary file.")
    private Optional<Path> file = Optional.empty();

    @Mixin
    private final ChartArgument chart = new ChartArgument();

    @Mixin
    private final QuietArgument quiet = new QuietArgument();

    public HandlersCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        Duration time = Seconds.of("--seconds", seconds, 0.05);
        checkRange("--rounds", rounds, 1, MOST_ROUNDS);
        checkRange("--disks", disks, 1, 64);
        checkRange("--depth", depth, 1, 64);
        checkRange("--batch", batch, 1, 1024);
        checkRange("--every", everyUs, 1, 1_000_000);
        for (int core : cores) {
            checkRange("--pin", core, 0, 4095);
        }
        RnicOptions options = rnic.options();
        chart.checkWritable();
        if (scaling) {
            scale(time, figures);
            return true;
        }
        Path blocks = file.isPresent() ? file.get() : Files.createTempFile("verbena-handlers", ".disk");
        try {
            HandlersSettings settings = new HandlersSettings(
                    time,
                    new HandlersSettings.Storage(disks, depth, batch),
                    Duration.ofNanos(everyUs * 1000),
                    blocks,
                    cores);
            List<RunFigures> shown = runAll(settings, options);
            report(shown, figures);
            draw(HandlersPicture.svg(shown, circumstances()));
            return true;
        } finally {
            if (file.isEmpty()) {
                Files.deleteIfExists(blocks);
            }
        }
    }

    /** Runs rounds through all arrangements, so that other load of the machine affects each alike; returns the median of each. */
    private List<RunFigures> runAll(HandlersSettings settings, RnicOptions options) throws Failure, IOException {
        Map<Arrangement, List<RunFigures>> all = new EnumMap<>(Arrangement.class);
        List<Arrangement> arrangements =
                Arrangement.with(RnicProvider.named(options.provider()).maxEngines());
        int steps = arrangements.size() * (rounds + 1);
        ProgressBar bar = bar(steps);
        int step = 0;
        try {
            for (int round = 0; round <= rounds; round++) {
                boolean warmUp = round == 0;
                for (Arrangement each : arrangements) {
                    bar.update(step++, System.nanoTime(), each::words);
                    HandlersSettings now = warmUp ? shorter(settings) : settings;
                    try (HandlersRun run = new HandlersRun(now, each, options, stop)) {
                        RunFigures figures = run.run();
                        if (!warmUp) {
                            all.computeIfAbsent(each, any -> new ArrayList<>()).add(figures);
                        }
                    }
                }
            }
        } finally {
            bar.clear();
        }
        return all.values().stream().map(HandlersCommand::median).toList();
    }

    private static HandlersSettings shorter(HandlersSettings settings) {
        Duration time = settings.time().compareTo(WARM_UP) < 0 ? settings.time() : WARM_UP;
        return new HandlersSettings(
                time,
                new HandlersSettings.Storage(
                        settings.storage().disks(),
                        settings.storage().depth(),
                        settings.storage().batch()),
                settings.every(),
                settings.file(),
                settings.cores());
    }

    private static RunFigures median(List<RunFigures> rounds) {
        return rounds.stream()
                .sorted(Comparator.comparingLong(run -> run.messages().toHandlerP99Ns()))
                .toList()
                .get(rounds.size() / 2);
    }

    private void report(List<RunFigures> shown, JsonObject figures) {
        double factor = (double) shown.getFirst().messages().toHandlerP99Ns()
                / Math.max(1, shown.getLast().messages().toHandlerP99Ns());
        figures.put("rounds", rounds)
                .put("disks", disks)
                .put("depth", depth)
                .put("batch", batch)
                .put("everyUs", everyUs)
                .putObjects("arrangements", shown.stream().map(RunFigures::json).toList())
                .put("p99Factor", factor);
        if (json) {
            return;
        }
        int width = terminal.columns().getAsInt();
        for (RunFigures run : shown) {
            run.lines(width).forEach(terminal::tell);
            terminal.tell("");
        }
        terminal.tell("99 % of the messages reach their handler within "
                + Figures.microseconds(shown.getLast().messages().toHandlerP99Ns())
                + " µs with their own handler on an urgent processor, and within "
                + Figures.microseconds(shown.getFirst().messages().toHandlerP99Ns())
                + " µs with one handler for everything: " + String.format(Locale.ROOT, "%.1f", factor)
                + " times as long.");
    }

    private void scale(Duration time, JsonObject figures) throws Failure, InterruptedException {
        ProgressBar bar = bar(rounds);
        Scaling scale;
        try {
            scale = Scaling.measure(
                    rounds, time.dividedBy(5), cores, stop, step -> bar.update(step, System.nanoTime()));
        } finally {
            bar.clear();
        }
        figures.put("rounds", rounds).put("scaling", scale.json());
        if (!json) {
            scale.lines(terminal.columns().getAsInt()).forEach(terminal::tell);
        }
        draw(scale.svg());
    }

    private ProgressBar bar(int steps) {
        return terminal.bar(stop, quiet.quiet() || json, "Handlers", steps);
    }

    private String circumstances() {
        return disks + " disks, " + depth + " writes of 64 KiB in flight on each, a message every " + everyUs + " µs";
    }

    private void draw(String picture) throws Failure {
        chart.write(() -> picture);
    }

    private static void checkRange(String option, long value, long least, long most) throws UsageProblem {
        if (value < least || value > most) {
            throw new UsageProblem(option + " must be " + least + " to " + most + ", not " + value);
        }
    }
}
