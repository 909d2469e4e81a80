package io.verbena.tools.sockets;

import static io.verbena.tools.command.UsageProblem.check;

import io.verbena.base.Times;
import io.verbena.live.LiveProcesses;
import io.verbena.sockets.nio.ProcessFigures;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Seconds;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.text.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verbena sockets top}: the connections of running programs. */
@Command(
        name = "top",
        customSynopsis = "verbena sockets top [OPTIONS] [PID]",
        description = {
            "Show the connections of the programs of this user that run with the provider of channels, the busiest first:"
                    + " what carries them, the bytes in both directions per second, how often there was no space to write,"
                    + " and how far their buffers have grown.",
            "",
            "On a terminal, the table is drawn again until Ctrl-C; else it is printed once. Programs that have the agent, or"
                    + " run by 'verbena sockets run', are shown unless they have the option figures=false.",
            "With --json, all figures since the connections were made are printed once.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena sockets top",
            "  verbena sockets top 4711 --interval 5 --count 12      a minute of one process",
            "  verbena sockets top --json | jq '.processes[].connections[].transport'"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:it was shown", "1:there is no such process", "2:wrong arguments"})
public final class SocketsTopCommand extends FiguresCommand {

    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final long SLICE_MS = 50;

    /** Moves the cursor to the first line, and clears the screen from there. */
    private static final String CLEAR = "\033[H\033[J";

    private final StopSignal stop;

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "SECONDS",
            description = "Time between two tables, over which rates are measured. Default: 1.")
    private double interval = 1;

    @Option(
            names = {"-n", "--count"},
            paramLabel = "N",
            description = "Number of tables. Default: without end on a terminal, else 1.")
    private Optional<Integer> count = Optional.empty();

    @Option(names = "--rows", paramLabel = "N", description = "Connections to show. Default: 20.")
    private int rows = 20;

    @Parameters(paramLabel = "PID", arity = "0..1", description = "Show this process only.")
    private Optional<Long> pid = Optional.empty();

    public SocketsTopCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        Duration pause = Seconds.of("--interval", interval, 0.05);
        check(rows >= 1, "--rows must be 1 or more, not " + rows);
        check(count.orElse(1) >= 1, "--count must be 1 or more, not " + count.orElse(1));
        Snapshot before = read();
        if (json) {
            figures.putObjects("processes", before.json());
            return true;
        }
        int width = terminal.columns().getAsInt();
        int tables = count.orElse(width > 0 ? Integer.MAX_VALUE : 1);
        TopTable table = new TopTable(width, rows);
        for (int i = 0; i < tables; i++) {
            sleep(pause);
            Snapshot now = read();
            terminal.out().print(width > 0 ? CLEAR : "");
            table.lines(before, now).forEach(terminal::tell);
            before = now;
        }
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

    private Snapshot read() throws IOException, Failure {
        SortedMap<Long, ProcessFigures> processes = new TreeMap<>();
        for (Map.Entry<Long, String> text :
                LiveProcesses.ask(ProcessFigures.KIND, "", PATIENCE).entrySet()) {
            if (pid.isEmpty() || pid.get().equals(text.getKey())) {
                ProcessFigures.of(text.getValue()).ifPresent(figures -> processes.put(text.getKey(), figures));
            }
        }
        if (pid.isPresent() && processes.isEmpty()) {
            throw new Failure("Process " + pid.get() + " shows no sockets: it does not run, is another user's, or runs"
                    + " without 'verbena sockets run'");
        }
        return new Snapshot(System.nanoTime(), processes);
    }
}
