package io.verbena.tools.observe;

import static io.verbena.tools.command.UsageProblem.check;

import io.verbena.base.Times;
import io.verbena.live.LiveRnics;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Seconds;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.text.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verbena top}: the queue pairs of running processes in a terminal. */
@Command(
        name = "top",
        customSynopsis = "verbena top [OPTIONS] [PID]",
        description = {
            "Show the queue pairs of all processes of this user that have an RNIC, the busiest first: state, peer, bytes in both directions and"
                    + " operations per second, and requests that are not complete.",
            "",
            "On a terminal, the table is drawn again until Ctrl-C; else, or with --once, it is printed once. With --json, all"
                    + " figures are printed once, as 'verbena web' has them at /api/figures. 'verbena sockets top' shows the"
                    + " connections of NIO programs.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena top",
            "  verbena top --sort waiting --rows 5",
            "  verbena top --once 4711",
            "  verbena top --json | jq '.processes[].parts[].texts'"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:it was shown", "1:there is no such process", "2:wrong arguments", "130:ended by Ctrl-C"})
public final class TopCommand extends FiguresCommand {

    private static final long SLICE_MS = 50;

    /** Moves the cursor to the first line, and clears the screen from there. */
    private static final String CLEAR = "\033[H\033[J";

    private final StopSignal stop;

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "SECONDS",
            description = "Time between two tables, over which rates are measured. Default: 1.")
    private double interval = 1;

    @Option(names = "--once", description = "Print one table.")
    private boolean once;

    @Option(names = "--rows", paramLabel = "N", description = "Queue pairs to show. Default: 20.")
    private int rows = 20;

    @Option(
            names = "--sort",
            paramLabel = "COLUMN",
            description = "What the first queue pair has most of: ${COMPLETION-CANDIDATES}; pid, peer and state ascend."
                    + " Default: busy, bytes and operations together.")
    private PairTable.Order order = PairTable.Order.BUSY;

    @Parameters(paramLabel = "PID", arity = "0..1", description = "Show this process only.")
    private Optional<Long> pid = Optional.empty();

    public TopCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        Duration pause = Seconds.of("--interval", interval, 0.05);
        check(rows >= 1, "--rows must be 1 or more, not " + rows);
        Moment before = read();
        if (json) {
            figures.putObjects("processes", before.json());
            return true;
        }
        int width = terminal.columns().getAsInt();
        PairTable table = new PairTable(width, rows, order);
        boolean again = width > 0 && !once;
        do {
            sleep(pause);
            Moment now = read();
            terminal.out().print(again ? CLEAR : "");
            table.lines(before, now).forEach(terminal::tell);
            before = now;
        } while (again);
        return true;
    }

    private void sleep(Duration pause) throws InterruptedException {
        long startNs = System.nanoTime();
        long pauseNs = Times.nanos(pause);
        long leftNs = pauseNs;
        while (leftNs > 0) {
            stop.check();
            TimeUnit.NANOSECONDS.sleep(Math.min(leftNs, SLICE_MS * 1_000_000));
            leftNs = pauseNs - (System.nanoTime() - startNs);
        }
    }

    private Moment read() throws IOException, Failure {
        Moment now = Moment.now(pid.map(OptionalLong::of).orElse(OptionalLong.empty()));
        if (pid.isPresent() && now.processes().isEmpty()) {
            throw new Failure(
                    "Process " + pid.get() + " shows no RNIC: it does not run, is another user's, has no RNIC open, or"
                            + " runs with -D" + LiveRnics.PROPERTY + "=false");
        }
        return now;
    }
}
