package io.verbena.tools.memory;

import static java.util.stream.Collectors.joining;

import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.ChartArgument;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.RnicArguments;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.verbs.PageTableKind;
import io.verbena.verbs.SegmentToken;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code verbena memory demo}: follows one address through the tables, and shows an allowed and a refused remote access.
 * {@code share} and {@code open}: a segment in two processes.
 */
@Command(
        name = "memory",
        customSynopsis = {
            "verbena memory demo [OPTIONS]",
            "verbena memory share [OPTIONS]",
            "verbena memory open TOKEN [OPTIONS]"
        },
        description = {
            "Show how an address and a key are translated: effective address, segment table, virtual address, page"
                    + " table, page frame.",
            "",
            "The demo maps a file of 1 MiB through a pool of 64 KiB of page frames and binds a key to one sentence in"
                    + " the file. A peer reads that sentence, which brings its page in, and then one byte more, which is"
                    + " refused.",
            "",
            "'share' offers a segment to another process of this user, and prints a token. 'open' in another terminal"
                    + " opens it with the token and writes a text, which 'share' reads. Each has an address and a key of"
                    + " its own.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena memory demo",
            "  verbena memory demo --tables inverted --svg walk.svg",
            "  verbena memory demo --json | jq '.after[].fields'",
            "  verbena memory share"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:both accesses had the expected result", "1:an access had another result", "2:wrong arguments"
        })
public final class MemoryCommand extends FiguresCommand {

    private final StopSignal stop;

    @Parameters(index = "0", paramLabel = "demo|share|open", description = "What to show: demo, share or open.")
    private String what = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "TOKEN", description = "For open: what share has printed.")
    private String token = "";

    @Option(
            names = "--tables",
            paramLabel = "KIND",
            description = "Kind of page table: flat (one per process), shared, or inverted. Default: shared.")
    private PageTableKind tables = PageTableKind.SHARED;

    @Mixin
    private final ChartArgument chart = new ChartArgument();

    @ArgGroup(validate = false, heading = "%nRNIC:%n")
    private RnicArguments rnic = new RnicArguments();

    public MemoryCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        if (!token.isEmpty() && !what.equals("open")) {
            throw new UsageProblem("memory " + what + " takes no further argument: " + token);
        }
        return switch (what) {
            case "demo" -> demo(figures);
            case "share" -> put(new SharedText(rnic.options(), stop, this::sayIfShown).share(), figures);
            case "open" -> put(new SharedText(rnic.options(), stop, this::sayIfShown).open(token()), figures);
            default ->
                throw new UsageProblem("memory has no '" + what
                        + "'; use: verbena memory demo, verbena memory share, or verbena memory open");
        };
    }

    private SegmentToken token() throws UsageProblem {
        try {
            byte[] bytes = HexFormat.of().parseHex(token);
            if (bytes.length == SegmentToken.ENCODED_BYTES) {
                return SegmentToken.fromBytes(bytes);
            }
        } catch (IllegalArgumentException e) {
            // Reported below.
        }
        throw new UsageProblem("open needs the token that 'verbena memory share' has printed, "
                + 2 * SegmentToken.ENCODED_BYTES + " hexadecimal digits, not '" + token + "'");
    }

    private static boolean put(SharedText.Result result, JsonObject figures) {
        figures.put("address", hex(result.address()))
                .put("rkey", hex(result.rkey() & 0xffff_ffffL))
                .put("text", result.text())
                .put("reason", result.reason());
        return true;
    }

    /** With --json, what share prints is on standard error, since the token is needed while it runs. */
    private void sayIfShown(String line) {
        if (json) {
            terminal.err().println(line);
            terminal.err().flush();
        } else {
            say(line);
        }
    }

    private boolean demo(JsonObject figures) throws Exception {
        MemoryDemo.Result result = new MemoryDemo(tables, stop).run(rnic.options());
        figures.putObjects("before", json(result.walks().before()))
                .putObjects("after", json(result.walks().after()))
                .put(
                        "advertised",
                        new JsonObject()
                                .put("address", hex(result.advertised().address()))
                                .put("length", result.advertised().length())
                                .put("rkey", hex(result.advertised().rkey() & 0xffff_ffffL)))
                .put("allowed", result.allowed())
                .put("refused", result.refused())
                .put("frames", result.figures().frames())
                .put("faults", result.figures().faults())
                .put("pagedIn", result.figures().pagedIn())
                .put("direct", result.direct());
        chart.write(() -> MemoryPicture.of(result));
        if (!json) {
            show(result);
        }
        return true;
    }

    private void show(MemoryDemo.Result result) {
        say("A file of 1 MiB is mapped through " + result.figures().frames()
                + " page frames of 4 KiB. The translation of the sentence's address:");
        say("");
        result.walks().before().forEach(this::show);
        say("A key is bound to exactly the " + result.advertised().length()
                + " bytes of the sentence. The peer receives:");
        say("  address " + hex(result.advertised().address()) + " (opaque: no address of this machine), length "
                + result.advertised().length() + ", key "
                + hex(result.advertised().rkey() & 0xffff_ffffL));
        say("");
        say("The peer reads them. ALLOWED: \"" + result.allowed() + "\"");
        say("Its page was brought in" + (result.direct() ? ", past the operating system's cache" : "") + ":");
        say("");
        show(result.walks().after().getLast());
        say("The peer reads one byte more. REFUSED: " + result.refused());
        say("");
        say("Page faults: " + Figures.count(result.figures().faults()) + ", pages paged in: "
                + Figures.count(result.figures().pagedIn()) + ", frames free: "
                + result.figures().freeFrames() + " of " + result.figures().frames() + "."
                + chart.file().map(file -> " The chart is in " + file + ".").orElse(""));
    }

    private void show(WalkStep step) {
        say(step.title());
        StringBuilder names = new StringBuilder("  |");
        StringBuilder values = new StringBuilder("  |");
        for (WalkStep.Field field : step.fields()) {
            int width = Math.max(field.name().length(), field.value().length());
            names.append(String.format(Locale.ROOT, " %-" + width + "s |", field.name()));
            values.append(String.format(Locale.ROOT, " %-" + width + "s |", field.value()));
        }
        int columns = terminal.columns().getAsInt();
        if (columns == 0 || names.length() <= columns) {
            say(names.toString());
            say(values.toString());
        } else {
            say("  "
                    + step.fields().stream()
                            .map(field -> field.name() + " " + field.value())
                            .collect(joining(", ")));
        }
        say("  " + step.sentence());
        say("");
    }

    private static List<JsonObject> json(List<WalkStep> steps) {
        return steps.stream().map(MemoryCommand::json).toList();
    }

    private static JsonObject json(WalkStep step) {
        JsonObject fields = new JsonObject();
        step.fields().forEach(field -> fields.put(field.name(), field.value()));
        return new JsonObject().put("title", step.title()).put("fields", fields).put("sentence", step.sentence());
    }

    private static String hex(long value) {
        return "0x" + Long.toHexString(value);
    }

    private void say(String line) {
        terminal.tell(line);
    }
}
