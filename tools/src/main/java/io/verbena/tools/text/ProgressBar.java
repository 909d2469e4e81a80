package io.verbena.tools.text;

import java.io.OutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Shows the progress of a stage: a bar that redraws itself on a terminal, nothing until the end elsewhere. In both cases one
 * plain line remains after the stage.
 */
public final class ProgressBar {

    private static final int CELLS = 30;
    private static final int LEAST_CELLS = 5;

    /** Columns of everything but the cells: the label, brackets, the percentage and a word. */
    private static final int OTHER_COLUMNS = 41;

    private static final int STANDARD_ERROR = 2;
    private static final long REDRAW_NS = 100_000_000;

    /** Also erases what is not ours, such as the terminal's echo of Ctrl-C. */
    private static final String ERASE_LINE = "\u001b[K";

    private final PrintStream out;
    private final boolean terminal;
    private final String label;
    private final long total;
    private final IntSupplier columns;
    private long lastDrawNs;
    private boolean drawn;
    private volatile long reached;

    /**
     * A bar at 0.
     *
     * @param out where it is drawn, usually standard error
     * @param terminal whether {@code out} understands a carriage return and how to erase a line
     * @param label name of the stage
     * @param total amount at which the stage is done; 0 or less if it is not known
     */
    public ProgressBar(PrintStream out, boolean terminal, String label, long total) {
        this(out, terminal, label, total, () -> Columns.of(STANDARD_ERROR));
    }

    /** The same on a terminal with this number of columns, which may change. */
    ProgressBar(PrintStream out, boolean terminal, String label, long total, IntSupplier columns) {
        this.columns = columns;
        this.out = out;
        this.terminal = terminal;
        this.label = label;
        this.total = total;
    }

    /** A bar that shows nothing. */
    public static ProgressBar hidden() {
        return hidden("", 0);
    }

    /** A bar that shows nothing, and that can be asked for its {@link #progress}. */
    public static ProgressBar hidden(String label, long total) {
        return new ProgressBar(new PrintStream(OutputStream.nullOutputStream()), false, label, total);
    }

    /** The stage and how much of it is done, for any thread: {@code Seeds 41 %}, {@code Rounds 1,234}. */
    public String progress() {
        long done = reached;
        if (total > 0) {
            return label + " " + (int) (100 * Math.clamp((double) done / total, 0.0, 1.0)) + " %";
        }
        return label.isEmpty() ? "" : label + " " + Figures.count(done);
    }

    /** Sets the amount done. Cheap: redraws at most ten times a second. */
    public void update(long done, long nowNs) {
        update(done, nowNs, () -> "");
    }

    /** The same, with a text after the bar, which is computed only when the bar is drawn. */
    public void update(long done, long nowNs, Supplier<String> word) {
        reached = done;
        if (!terminal || (drawn && nowNs - lastDrawNs < REDRAW_NS)) {
            return;
        }
        lastDrawNs = nowNs;
        drawn = true;
        int width = columns.getAsInt() - 1; // a character in the last column would move the cursor
        int cells = Math.min(CELLS, width - OTHER_COLUMNS);
        String line = (line(done, cells) + "  " + word.get()).stripTrailing();
        draw(line.length() > width ? line.substring(0, Math.max(0, width)).stripTrailing() : line);
    }

    /** Sets the bytes done, and shows the rate. */
    public void updateBytes(long done, long startNs) {
        long nowNs = System.nanoTime();
        update(done, nowNs, () -> Figures.bytesPerSecond(Figures.rate(done, nowNs - startNs)));
    }

    /** Replaces the bar by a line that stays. */
    public void finish(String result) {
        clear();
        String line = label + ": " + result;
        (terminal ? Columns.wrapped(line, columns.getAsInt()) : List.of(line)).forEach(out::println);
        out.flush();
    }

    /** Removes the bar, leaving nothing. */
    public void clear() {
        if (drawn) {
            out.print("\r" + ERASE_LINE);
            out.flush();
            drawn = false;
        }
    }

    /** What is drawn for an amount where there is no lack of columns. */
    String line(long done) {
        return line(done, CELLS);
    }

    private String line(long done, int cells) {
        if (total <= 0) {
            return label + " " + Figures.count(done);
        }
        double part = Math.clamp((double) done / total, 0.0, 1.0);
        if (cells < LEAST_CELLS) {
            return String.format(Locale.ROOT, "%s %3d %%", label, (int) (part * 100));
        }
        int full = (int) (part * cells);
        String bar = "=".repeat(full) + (full < cells ? ">" + " ".repeat(cells - full - 1) : "");
        return String.format(Locale.ROOT, "%-16s [%s] %3d %%", label, bar, (int) (part * 100));
    }

    private void draw(String line) {
        out.print("\r" + line + ERASE_LINE);
        out.flush();
    }
}
