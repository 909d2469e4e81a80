package io.verbena.tools.picture;

/**
 * The quantity along an axis.
 *
 * @param label what the numbers are
 * @param unit how they are written
 * @param logarithmic whether equal distances are equal factors; all values are above 0 then
 */
public record Axis(String label, Unit unit, boolean logarithmic) {

    /** An axis on which equal distances are equal differences. */
    public static Axis linear(String label, Unit unit) {
        return new Axis(label, unit, false);
    }

    /** An axis on which equal distances are equal factors. */
    public static Axis logarithmic(String label, Unit unit) {
        return new Axis(label, unit, true);
    }
}
