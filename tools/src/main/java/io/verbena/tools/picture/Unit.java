package io.verbena.tools.picture;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** What the numbers of an axis are, and how people write them. */
public enum Unit {
    /** Sizes, by powers of 1024: {@code 64 B}, {@code 4 KiB}, {@code 1 MiB}. */
    BYTES(1024, "B", "KiB", "MiB", "GiB", "TiB", "PiB"),
    /** Bandwidth, by powers of 1000: {@code 2.5 GB/s}. */
    BYTES_PER_SECOND(1000, "B/s", "kB/s", "MB/s", "GB/s", "TB/s"),
    /** Rates: {@code 250 k/s}, {@code 3 M/s}. */
    PER_SECOND(1000, "/s", "k/s", "M/s", "G/s"),
    /** Time spans given in nanoseconds: {@code 800 ns}, {@code 5 µs}, {@code 1.2 ms}. */
    NANOSECONDS(1000, "ns", "µs", "ms", "s"),
    /** Ratios and other bare numbers: {@code 1.25}. */
    NUMBER(1000, "", "k", "M", "G");

    private static final MathContext THREE_DIGITS = new MathContext(3);

    private final int step;
    private final String[] names;

    Unit(int step, String... names) {
        this.step = step;
        this.names = names;
    }

    /** A value with its unit, two or three digits exact. */
    public String text(double value) {
        double scaled = value;
        int unit = 0;
        while (Math.abs(scaled) >= step * 0.9995 && unit < names.length - 1) {
            scaled /= step;
            unit++;
        }
        String number = threeDigits(scaled);
        String name = names[unit];
        return name.isEmpty() || name.startsWith("/") ? number + name : number + " " + name;
    }

    private static String threeDigits(double value) {
        BigDecimal exact = BigDecimal.valueOf(value);
        BigDecimal rounded = Math.abs(value) >= 1000
                ? exact.setScale(0, RoundingMode.HALF_UP)
                : Math.abs(value) >= 0.1 && Math.abs(value) < 1
                        ? exact.setScale(2, RoundingMode.HALF_UP)
                        : exact.round(THREE_DIGITS);
        return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
    }

    /** Whether people count it in powers of two. */
    boolean binary() {
        return step == 1024;
    }
}
