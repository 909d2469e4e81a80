package io.verbena.bench.side;

import java.util.Locale;

/**
 * What a median should reach.
 *
 * @param kind how the bound is meant
 * @param bound of the ratio, or of our figure if there is no peer
 * @param enough a figure of ours that is enough whatever the ratio; 0 for none
 */
public record Goal(Kind kind, double bound, double enough) {

    /** How a bound is meant. */
    public enum Kind {
        AT_LEAST,
        AT_MOST,
        NONE
    }

    static final Goal NONE = new Goal(Kind.NONE, 0, 0);

    public static Goal atLeast(double ratio) {
        return new Goal(Kind.AT_LEAST, ratio, 0);
    }

    public static Goal atMost(double ratio) {
        return new Goal(Kind.AT_MOST, ratio, 0);
    }

    /** Fulfilled, too, by so much of our own. */
    Goal orOurs(double figure) {
        return new Goal(kind, bound, figure);
    }

    public boolean reached(double ratio, double ours) {
        return switch (kind) {
            case AT_LEAST -> ratio >= bound || enough > 0 && ours >= enough;
            case AT_MOST -> ratio <= bound;
            case NONE -> true;
        };
    }

    /** The bound as the table shows it. */
    public String print() {
        String text = switch (kind) {
            case AT_LEAST -> "≥ " + number(bound);
            case AT_MOST -> "≤ " + number(bound);
            case NONE -> "";
        };
        return enough > 0 ? text + " or " + number(enough) : text;
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value == Math.rint(value) ? "%.1f" : "%.2f", value);
    }
}
