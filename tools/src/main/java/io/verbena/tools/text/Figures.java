package io.verbena.tools.text;

import io.verbena.base.Times;
import java.time.Duration;
import java.util.Locale;

/** Numbers with units, as people read them. ASCII only. */
public final class Figures {

    private static final String[] BINARY = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    private static final String[] DECIMAL = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};

    private Figures() {}

    /** A size: {@code 64 B}, {@code 1.5 KiB}, {@code 256.0 MiB}. */
    public static String bytes(long bytes) {
        if (bytes < 1024) {
            return bytes + " B";
        }
        double value = bytes;
        int unit = 0;
        while (value >= 1024 && unit < BINARY.length - 1) {
            value /= 1024;
            unit++;
        }
        return String.format(Locale.ROOT, "%.1f %s", value, BINARY[unit]);
    }

    /** Bytes per second, decimal as network rates are: {@code 2.31 GB/s}. */
    public static String bytesPerSecond(double rate) {
        double value = rate;
        int unit = 0;
        while (value >= 1000 && unit < DECIMAL.length - 1) {
            value /= 1000;
            unit++;
        }
        return String.format(Locale.ROOT, "%.2f %s", value, DECIMAL[unit]);
    }

    /** Operations per second: {@code 18,400/s}, {@code 7.5/s}. */
    public static String perSecond(double rate) {
        return String.format(Locale.ROOT, rate < 100 ? "%.1f/s" : "%,.0f/s", rate);
    }

    /** A time span in seconds: {@code 0.636 s}, {@code 1,800.000 s}. */
    public static String seconds(long nanoseconds) {
        return String.format(Locale.ROOT, "%,.3f s", nanoseconds / 1e9);
    }

    /** A time span that a person chose, without needless digits: {@code 10 s}, {@code 0.5 s}. */
    public static String seconds(Duration span) {
        double seconds = Times.nanos(span) / 1e9;
        return (seconds == Math.rint(seconds) ? String.valueOf((long) seconds) : String.valueOf(seconds)) + " s";
    }

    /** A latency in microseconds, always, so that any two can be compared: {@code 12.4}, {@code 2,150.0}. */
    public static String microseconds(long nanoseconds) {
        return String.format(Locale.ROOT, "%,.1f", nanoseconds / 1e3);
    }

    /** A count with separators: {@code 1,234,567}. */
    public static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    /** How many a second; 0 when no time passed. */
    public static double rate(long amount, long nanoseconds) {
        return nanoseconds <= 0 ? 0 : amount * 1e9 / nanoseconds;
    }
}
