package io.verbena.bench.side;

import java.util.Locale;

/**
 * What a median should reach.
 *
 * @param kind how the bound is meant
 * @param bound of the ratio, or of our figure if there is no peer
 */
public record Goal(Kind kind, double bound) {

    /** How a bound is meant. */
    public enum Kind {
        AT_LEAST,
        AT_MOST,
        NONE
    }

    static final Goal NONE = new Goal(Kind.NONE, 0);

    public static Goal atLeast(double ratio) {
        return new Goal(Kind.AT_LEAST, ratio);
    }

    public static Goal atMost(double ratio) {
        return new Goal(Kind.AT_MOST, ratio);
    }

    public boolean reached(double ratio) {
        return switch (kind) {
            case AT_LEAST -> ratio >= bound;
            case AT_MOST -> ratio <= bound;
            case NONE -> true;
        };
    }

    /** The bound as the table shows it. */
    public String print() {
        return switch (kind) {
            case AT_LEAST -> "≥ " + number(bound);
            case AT_MOST -> "≤ " + number(bound);
            case NONE -> "";
        };
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value == Math.rint(value) ? "%.1f" : "%.2f", value);
    }
}
