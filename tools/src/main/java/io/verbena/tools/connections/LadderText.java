package io.verbena.tools.connections;

import io.verbena.tools.connections.Ladder.Kind;
import io.verbena.tools.connections.Ladder.Rung;
import java.util.Locale;

/** A ladder as text for a terminal. */
public final class LadderText {

    private static final int FRAME = 58;
    private static final int SIDE = 24;

    private LadderText() {}

    /** All of it, a line a rung. */
    public static String of(Ladder ladder) {
        StringBuilder out = new StringBuilder();
        out.append(String.format("%12s  %-" + SIDE + "s%s%s%n", "", "A", " ".repeat(FRAME - 4), "B"));
        for (Rung rung : ladder.rungs()) {
            out.append(String.format(Locale.ROOT, "%9.0f µs  %s%n", rung.micros(), line(rung)));
        }
        return out.toString();
    }

    private static String line(Rung rung) {
        return switch (rung.kind()) {
            case INCIDENT -> "*** " + rung.text();
            case RIGHT -> arrow(rung.text(), true);
            case LEFT -> arrow(rung.text(), false);
            case TOLD_A -> rung.text();
            case TOLD_B -> " ".repeat(SIDE) + rung.text();
            case STATES -> states(rung.text());
        };
    }

    private static String arrow(String text, boolean right) {
        String cut = text.length() > FRAME ? text.substring(0, FRAME - 1) + "…" : text;
        String dashes = "-".repeat(Math.max(2, FRAME - cut.length()));
        return right ? "|-- " + cut + " " + dashes + ">|" : "|<" + dashes + " " + cut + " --|";
    }

    private static String states(String text) {
        int tab = text.indexOf('\t');
        return String.format(
                "[%s]%s[%s]",
                text.substring(0, tab), " ".repeat(Math.max(2, FRAME - tab - 2)), text.substring(tab + 1));
    }

    static boolean frame(Kind kind) {
        return kind == Kind.RIGHT || kind == Kind.LEFT;
    }
}
