package io.verbena.tools.command;

import static io.verbena.tools.command.UsageProblem.check;

import io.verbena.base.Times;
import io.verbena.tools.base.StopSignal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import picocli.CommandLine.Option;

/** Options of the commands that show one table after the other. */
public final class TopArguments {

    private static final long SLICE_MS = 50;

    /** Moves the cursor to the first line, and clears the screen from there. */
    private static final String CLEAR = "\033[H\033[J";

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

    @Option(names = "--once", description = "Print one table, as --count 1.")
    private boolean once;

    @Option(names = "--rows", paramLabel = "N", description = "Rows to show. Default: 20.")
    private int rows = 20;

    /** Most rows of a table. */
    public int rows() {
        return rows;
    }

    /** Checks the values, before anything is read. */
    public void checkValues() throws UsageProblem {
        Duration _ = pause();
        check(rows >= 1, "--rows must be 1 or more, not " + rows);
        check(count.orElse(1) >= 1, "--count must be 1 or more, not " + count.orElse(1));
        check(!once || count.isEmpty(), "--once and --count exclude each other: give one of them");
    }

    private Duration pause() throws UsageProblem {
        return Seconds.of("--interval", interval, 0.05);
    }

    /**
     * Shows the tables.
     *
     * @param first what was read at the start
     * @param read reads again
     * @param lines the table of what was read and of what was read before
     */
    public <T> void show(
            Terminal terminal, StopSignal stop, T first, Callable<T> read, BiFunction<T, T, List<String>> lines)
            throws Exception {
        boolean screen = terminal.columns().getAsInt() > 0;
        int tables = once ? 1 : count.orElse(screen ? Integer.MAX_VALUE : 1);
        T before = first;
        for (int i = 0; i < tables; i++) {
            sleep(pause(), stop);
            T now = read.call();
            terminal.out().print(screen && tables > 1 ? CLEAR : "");
            lines.apply(before, now).forEach(terminal::tell);
            before = now;
        }
    }

    private static void sleep(Duration pause, StopSignal stop) throws InterruptedException {
        long startNs = System.nanoTime();
        long pauseNs = Times.nanos(pause);
        long leftNs = pauseNs;
        while (leftNs > 0) {
            stop.check();
            TimeUnit.NANOSECONDS.sleep(Math.min(leftNs, SLICE_MS * 1_000_000));
            leftNs = pauseNs - (System.nanoTime() - startNs);
        }
    }
}
