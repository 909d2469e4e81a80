package io.verbena.tools.holes;

import static io.verbena.tools.command.UsageProblem.check;

import io.verbena.tools.base.Failure;
import io.verbena.tools.command.ByteSize;
import io.verbena.tools.command.ChartArgument;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.tools.text.Table;
import java.security.SecureRandom;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena holes}: what becomes of data that arrives after a gap in the TCP stream. */
@Command(
        name = "holes",
        customSynopsis = "verbena holes [OPTIONS]",
        description = {
            "Show what becomes of data that arrives after a hole, a gap in the TCP stream.",
            "",
            "The command runs a transfer (rounds of a Write, a Send and a Read) between two hosts with the TCP of the"
                    + " library, through a path that loses and delays packets, in virtual time. The receiver places each segment"
                    + " in its final buffer when it"
                    + " arrives, although segments before it are missing. For each hole it only counts what is complete"
                    + " after the hole. When the hole closes, as many completions appear as there were Sends, and the Read"
                    + " Requests are served.",
            "",
            "Beside it stand the figures of a receiver that waits for order, as one above the TCP of a kernel does: it"
                    + " has to buffer what arrives after a hole, and to copy it once more. Every byte and every completion"
                    + " is verified.",
            "",
            "Columns of the table, one row for each hole when it closes:",
            "  closed    virtual time",
            "  offset    position in the stream of the first missing byte",
            "  missing   length of the hole just before it closed",
            "  waited    how long the oldest data after the hole had been in place",
            "  in place  payload after the hole that was in its final buffer",
            "  Sends, Reads   Sends that completed, and Read Requests that were served, at that instant",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena holes                               5 %% of the segments late, 1 %% lost",
            "  verbena holes --late 0 --lost 0.1           rare losses only",
            "  verbena holes --seed 7 --svg holes.svg      the same run again, with a chart",
            "  verbena holes --starts guesses              a sender without markers",
            "  verbena holes --life                        the life of two holes, step by step",
            "  verbena holes --json | jq .copiesPerByte"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the transfer is complete and correct", "1:it is not", "2:wrong arguments"})
public final class HolesCommand extends FiguresCommand {

    private static final int MOST_RANDOM_SEED = 1_000_000_000;
    private static final int WRITE_BYTES = 64 * 1024;
    private static final long MOST_BYTES = 256 << 20;
    private static final Table TABLE = new Table(
            new Table.Column("closed µs", 10),
            new Table.Column("offset", 12),
            new Table.Column("missing", 9),
            new Table.Column("waited µs", 9),
            new Table.Column("in place", 10),
            new Table.Column("Sends", 6),
            new Table.Column("Reads", 6));

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Repeats a run. Default: a random seed, which is printed.")
    private Optional<Long> seed = Optional.empty();

    @Option(
            names = {"-S", "--size"},
            paramLabel = "BYTES",
            converter = ByteSize.class,
            description = "Bytes written, such as 8M. Default: 16M.")
    private long size = 16 << 20;

    @Option(names = "--late", paramLabel = "PERCENT", description = "Packets that are late. Default: 5.")
    private double late = 5;

    @Option(
            names = "--delay",
            paramLabel = "MICROSECONDS",
            description = "Maximum delay of a late segment. Default: 500.")
    private long delayUs = 500;

    @Option(names = "--lost", paramLabel = "PERCENT", description = "Packets that are lost. Default: 1.")
    private double lost = 1;

    @Option(
            names = "--window",
            paramLabel = "BYTES",
            converter = ByteSize.class,
            description = "Buffers of the TCP, and its largest window. Default: 4M.")
    private long window = 4 << 20;

    @Option(
            names = "--starts",
            paramLabel = "HOW",
            description = "How the receiver finds the start of a frame after a hole: markers; lengths (a sender without"
                    + " markers: only as long as the chain of lengths is not broken); guesses (the same, and a"
                    + " Write at the start of a segment is placed as a guess, see --guess-starts of the other"
                    + " commands). Default: markers.")
    private FrameStarts starts = FrameStarts.MARKERS;

    @Option(names = "--rows", paramLabel = "N", description = "Holes in the table. Default: 12; 0 for none.")
    private int rows = 12;

    @Option(names = "--life", description = "Show the life of two holes instead, step by step, in seven segments.")
    private boolean life;

    @Mixin
    private final ChartArgument chart = new ChartArgument();

    public HolesCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        check(late >= 0 && late <= 100, "--late must be 0 to 100, not " + late);
        check(lost >= 0 && lost <= 50, "--lost must be 0 to 50, not " + lost);
        check(delayUs >= 1 && delayUs <= 1_000_000, "--delay must be 1 to 1000000, not " + delayUs);
        check(size >= 1 && size <= MOST_BYTES, "--size must be 1 byte to " + Figures.bytes(MOST_BYTES));
        check(window >= 64 << 10 && window <= 64 << 20, "--window must be 64 KiB to 64 MiB, not " + window);
        check(rows >= 0, "--rows must be 0 or more, not " + rows);
        chart.checkWritable();
        long used = seed.orElseGet(() -> (long) new SecureRandom().nextInt(MOST_RANDOM_SEED));
        HolePath path = HolePath.of(used)
                .withLate(late, delayUs * 1_000)
                .withLost(lost)
                .withWindow((int) window)
                .withStarts(starts);
        int rounds = (int) Math.max(1, size / WRITE_BYTES);
        if (life) {
            showLife(figures);
            return true;
        }
        figures.put("seed", used);
        HoleResult result = new HoleRun(path, rounds, (int) Math.min(size, WRITE_BYTES)).run();
        HoleFigures.fill(figures, result);
        write(HolesPicture.of(path, result));
        if (!json) {
            show(path, result);
        }
        return true;
    }

    private void write(String picture) throws Failure {
        chart.write(() -> picture);
    }

    private void showLife(JsonObject figures) throws Failure {
        List<HoleLife.Step> steps = HoleLife.steps();
        figures.putObjects("steps", steps.stream().map(HoleFigures::json).toList());
        write(HoleLifePicture.draw());
        if (json) {
            return;
        }
        say("Seven messages, one TCP segment each.");
        say("= delivered, + in its final buffer, . missing");
        for (HoleLife.Step step : steps) {
            say("");
            say(step.title());
            say("  " + HoleFigures.stream(step) + "   " + step.delivered()
                    + (step.counts().isEmpty() ? "" : "; holes: " + String.join("; ", step.counts())));
        }
    }

    private void show(HolePath path, HoleResult r) {
        int columns = terminal.columns().getAsInt();
        say("Seed " + path.seed() + ": " + Figures.count(r.traffic().segments()) + " segments, "
                + Figures.count(r.traffic().lost())
                + " lost, " + Figures.count(r.figures().holes()) + " holes, at most "
                + Figures.count(r.figures().mostHoles()) + " at a time.");
        say("");
        List<ClosedHole> shown = r.closed().stream().limit(rows).toList();
        if (!shown.isEmpty()) {
            TABLE.head(columns).forEach(this::say);
            shown.forEach(hole -> say(TABLE.row(columns, cells(hole))));
            int more = r.closed().size() - shown.size();
            say(more > 0 ? "  and " + Figures.count(more) + " more" : "");
            say("");
        }
        say(percent(r.waitingCopiesPerByte()) + " of the bytes arrived after a hole; " + percent(r.takenAtOnce())
                + " of those were taken at once.");
        say(String.format(Locale.ROOT, "%-34s %14s %20s", "", "this receiver", "one that waits"));
        line(
                "buffered at most",
                Figures.bytes(r.kept().mostKeptBytes()),
                Figures.bytes(r.inOrder().mostWaitingBytes()));
        line("copied more than in order, per byte", number(r.copiesPerByte()), number(r.waitingCopiesPerByte()));
        line("state of holes", Figures.bytes(r.figures().mostTableBytes()), "");
        chart.file().ifPresent(file -> say("The chart is in " + file + "."));
    }

    private void line(String what, String here, String waiting) {
        say(String.format(Locale.ROOT, "%-34s %14s %20s", what, here, waiting).stripTrailing());
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }

    private static List<String> cells(ClosedHole hole) {
        return List.of(
                Figures.microseconds(hole.atNs()),
                Figures.count(hole.gap().from()),
                Figures.bytes(hole.gap().missingBytes()),
                Figures.microseconds(hole.waitNs()),
                Figures.bytes(hole.placedBytes()),
                Figures.count(hole.sends()),
                Figures.count(hole.requests()));
    }

    private void say(String line) {
        terminal.tell(line);
    }
}
