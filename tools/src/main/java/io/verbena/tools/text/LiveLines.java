package io.verbena.tools.text;

import java.io.PrintStream;
import java.util.List;
import java.util.function.IntSupplier;

/** Lines at the end of a terminal that are drawn again and again. */
public final class LiveLines {
    private static final int STANDARD_ERROR = 2;
    private static final int MOST_UNKNOWN_COLUMNS = 80;

    private final PrintStream out;
    private final IntSupplier columns;
    private int drawn;

    /** Lines on standard error. */
    public LiveLines(PrintStream out) {
        this(out, () -> Columns.of(STANDARD_ERROR));
    }

    /** The same on a terminal with this number of columns, which may change. */
    LiveLines(PrintStream out, IntSupplier columns) {
        this.out = out;
        this.columns = columns;
    }

    /** Replaces the lines. Those that are too long are cut, because a wrapped line could not be replaced. */
    public void draw(List<String> lines) {
        clear();
        int width = columns.getAsInt() > 0 ? columns.getAsInt() - 1 : MOST_UNKNOWN_COLUMNS;
        lines.forEach(line -> out.println(line.length() > width ? line.substring(0, width) : line));
        out.flush();
        drawn = lines.size();
    }

    /** Removes the lines, so that something else can be printed. */
    public void clear() {
        if (drawn > 0) {
            out.print("\u001b[" + drawn + "A\r\u001b[J");
            out.flush();
            drawn = 0;
        }
    }
}
