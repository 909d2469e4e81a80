package io.verbena.tools.impair;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the effects of a rule: names with values, such as {@code loss 1%} and {@code delay 1ms}. */
final class EffectReader {

    private static final Pattern SPAN = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(ns|us|µs|ms|s)");
    private static final Pattern CHANCE = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)%");
    private static final Pattern ONE_IN = Pattern.compile("1/(\\d{1,9})");
    private static final long DEFAULT_REORDER_NS = 1_000_000;
    private static final double MOST_SPAN_NS = 1e15;

    private double loss;
    private double duplicate;
    private double corrupt;
    private double trim;
    private double mark;
    private double reorder;
    private long delayNs;
    private long jitterNs;
    private long reorderNs = DEFAULT_REORDER_NS;

    private EffectReader() {}

    /**
     * Reads effects.
     *
     * @throws IllegalArgumentException with a sentence that says what is wrong
     */
    static Effects read(Map<String, String> settings) {
        EffectReader reader = new EffectReader();
        settings.forEach(reader::set);
        if (settings.containsKey("by") && !settings.containsKey("reorder")) {
            throw new IllegalArgumentException("'by " + settings.get("by") + "' is without 'reorder'");
        }
        return reader.effects();
    }

    private Effects effects() {
        return new Effects(
                new Effects.Chances(loss, duplicate, corrupt, trim, mark),
                new Effects.Delay(delayNs, jitterNs, reorder, reorderNs));
    }

    private void set(String name, String value) {
        switch (name) {
            case "loss" -> loss = chance(value, name);
            case "duplicate" -> duplicate = chance(value, name);
            case "corrupt" -> corrupt = chance(value, name);
            case "trim" -> trim = chance(value, name);
            case "mark" -> mark = chance(value, name);
            case "reorder" -> reorder = chance(value, name);
            case "delay" -> delayNs = spanNs(value, name);
            case "jitter" -> jitterNs = spanNs(value, name);
            case "by" -> reorderNs = spanNs(value, name);
            default ->
                throw new IllegalArgumentException(
                        "'" + name
                                + "' is not an effect: choose loss, delay, jitter, reorder, by, duplicate, corrupt, trim or mark");
        }
    }

    private static double chance(String value, String name) {
        Matcher percent = CHANCE.matcher(value);
        if (percent.matches() && Double.parseDouble(percent.group(1)) <= 100) {
            return Double.parseDouble(percent.group(1)) / 100;
        }
        Matcher oneIn = ONE_IN.matcher(value);
        if (oneIn.matches() && Long.parseLong(oneIn.group(1)) > 0) {
            return 1.0 / Long.parseLong(oneIn.group(1));
        }
        throw new IllegalArgumentException(name + " must be followed by 0% to 100% or by 1/N, not by '" + value + "'");
    }

    /** A time such as {@code 20us}, in nanoseconds. */
    static long spanNs(String value, String name) {
        Matcher form = SPAN.matcher(value);
        if (form.matches()) {
            double ns = Double.parseDouble(form.group(1)) * unitNs(form.group(2));
            if (ns <= MOST_SPAN_NS) {
                return Math.round(ns);
            }
        }
        throw new IllegalArgumentException(
                name + " must be followed by a time such as 20us, 1.5ms or 2s, not by '" + value + "'");
    }

    private static double unitNs(String unit) {
        return switch (unit) {
            case "ns" -> 1;
            case "ms" -> 1e6;
            case "s" -> 1e9;
            default -> 1e3;
        };
    }
}
