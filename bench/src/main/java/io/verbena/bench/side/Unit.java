package io.verbena.bench.side;

import java.util.Locale;

/** The figure of a run. */
enum Unit {
    GIGABYTES_PER_SECOND("GB/s", true),
    MILLIONS_PER_SECOND("M/s", true),
    MICROSECONDS("µs", false);

    final String symbol;
    final boolean moreIsBetter;

    Unit(String symbol, boolean moreIsBetter) {
        this.symbol = symbol;
        this.moreIsBetter = moreIsBetter;
    }

    /** The figure of a run of messages, or of round trips, of which half the time counts. */
    double value(long messages, int messageBytes, long ns) {
        return switch (this) {
            case GIGABYTES_PER_SECOND -> (double) messages * messageBytes / ns;
            case MILLIONS_PER_SECOND -> messages * 1e3 / ns;
            case MICROSECONDS -> ns / 2e3 / messages;
        };
    }

    String print(double value) {
        return String.format(Locale.ROOT, value >= 100 ? "%.0f %s" : "%.2f %s", value, symbol);
    }
}
