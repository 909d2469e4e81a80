package io.verbena.tools.connections;

import io.verbena.tools.connections.Ladder.Kind;
import io.verbena.tools.connections.Ladder.Rung;
import io.verbena.tools.text.Columns;
import java.util.List;
import java.util.Locale;

/** A ladder as text for a terminal. */
public final class LadderText {

    private static final int FRAME = 58;
    private static final int SIDE = 24;

    /** Columns of the time, and of what follows it. */
    private static final int TIME = 14;

    private static final int WIDTH = 80 - TIME;

    private LadderText() {}

    /** All of it, in at most 80 columns. */
    public static String of(Ladder ladder) {
        StringBuilder out = new StringBuilder();
        out.append(String.format("%" + TIME + "sA%sB%n", "", " ".repeat(FRAME + 5)));
        for (Rung rung : ladder.rungs()) {
            String time = String.format(Locale.ROOT, "%9.0f µs  ", rung.micros());
            for (String line : lines(rung)) {
                out.append(time).append(line).append(String.format("%n"));
                time = " ".repeat(TIME);
            }
        }
        return out.toString();
    }

    private static List<String> lines(Rung rung) {
        return switch (rung.kind()) {
            case INCIDENT -> Columns.wrapped("*** " + rung.text(), WIDTH);
            case RIGHT -> List.of(arrow(rung.text(), true));
            case LEFT -> List.of(arrow(rung.text(), false));
            case REPORT_A -> Columns.wrapped(rung.text(), WIDTH);
            case REPORT_B ->
                Columns.wrapped(rung.text(), WIDTH - SIDE).stream()
                        .map(line -> " ".repeat(SIDE) + line)
                        .toList();
            case STATES -> List.of(states(rung.text()));
        };
    }

    private static String arrow(String text, boolean right) {
        String cut = text.length() > FRAME - 2 ? text.substring(0, FRAME - 3) + "…" : text;
        String dashes = "-".repeat(FRAME - cut.length());
        return right ? "|-- " + cut + " " + dashes + ">|" : "|<" + dashes + " " + cut + " --|";
    }

    private static String states(String text) {
        int tab = text.indexOf('\t');
        return String.format(
                "[%s]%s[%s]",
                text.substring(0, tab), " ".repeat(Math.max(2, WIDTH - text.length() - 3)), text.substring(tab + 1));
    }

    static boolean frame(Kind kind) {
        return kind == Kind.RIGHT || kind == Kind.LEFT;
    }
}
