package io.verbena.tools.picture;

import java.util.ArrayList;
import java.util.List;

/**
 * Carries the values of an axis to places, and chooses the values that get a tick.
 *
 * @param axis what the values are
 * @param low value at the beginning
 * @param high value at the end, above {@code low}
 * @param fromPx place of the beginning
 * @param toPx place of the end
 */
record Scale(Axis axis, double low, double high, double fromPx, double toPx) {

    private static final double[] FACTORS = {1, 2, 5};

    /** A scale that shows all values, with room at the ends where that looks better. */
    static Scale alongX(Axis axis, double least, double most, double fromPx, double toPx) {
        if (axis.logarithmic()) {
            double slack = Math.max(Math.pow(most / least, 0.02), least == most ? 2 : 1);
            return new Scale(axis, least / slack, most * slack, fromPx, toPx);
        }
        double slack = least == most ? Math.max(1, Math.abs(least)) : (most - least) * 0.02;
        return new Scale(axis, least - slack, most + slack, fromPx, toPx);
    }

    /** A scale that begins at 0, or for logarithms at a round number, and ends at a round number. */
    static Scale alongY(Axis axis, double least, double most, double bottomPx, double topPx) {
        if (axis.logarithmic()) {
            double low = roundDown(least);
            double high = roundUp(most * 1.02);
            return new Scale(axis, low, high > low ? high : low * 10, bottomPx, topPx);
        }
        double low = Math.min(0, least);
        double high = Math.max(most, low == 0 ? 0 : low + Math.abs(low) * 0.1);
        if (high == low) {
            high = low + 1;
        }
        double step = step((high - low) / 5, axis.unit().binary());
        return new Scale(
                axis, Math.floor(low / step) * step, Math.ceil(high * 1.02 / step - 1e-9) * step, bottomPx, topPx);
    }

    /** The position of a value. */
    double px(double value) {
        double part = axis.logarithmic() ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
        return fromPx + part * (toPx - fromPx);
    }

    /** Values with a tick, at least this number of pixels apart. */
    List<Double> ticks(double apartPx) {
        if (!axis.logarithmic()) {
            return linearTicks(apartPx);
        }
        List<Double> ticks = axis.unit().binary() ? powers(2, apartPx) : decades(apartPx);
        return ticks.size() >= 2 ? ticks : linearTicks(apartPx);
    }

    private List<Double> linearTicks(double apartPx) {
        double most = Math.max(2, Math.floor(Math.abs(toPx - fromPx) / apartPx));
        double least = (high - low) / most;
        if (axis.logarithmic()) { // they are closest at the upper end
            least = Math.max(least, high * Math.log(high / low) / most);
        }
        double step = step(least, axis.unit().binary());
        List<Double> ticks = new ArrayList<>();
        double first = Math.ceil(low / step - 1e-9);
        double last = Math.floor(high / step + 1e-9);
        for (double i = first; i <= last; i++) {
            ticks.add(i * step + 0.0); // no -0
        }
        return ticks;
    }

    /** The round step that is not smaller than a number. */
    private static double step(double least, boolean binary) {
        return binary && least >= 1 ? Math.pow(2, Math.ceil(log(2, least) - 1e-9)) : roundUp(least);
    }

    private List<Double> decades(double apartPx) {
        double decadePx = Math.abs(toPx - fromPx) / log(10, high / low);
        if (decadePx * Math.log10(2) < apartPx) {
            return powers(10, apartPx);
        }
        List<Double> ticks = new ArrayList<>();
        for (int power = (int) Math.floor(log(10, low)); power <= log(10, high); power++) {
            for (double factor : FACTORS) {
                addIfShown(ticks, factor * Math.pow(10, power));
            }
        }
        return ticks;
    }

    private List<Double> powers(double base, double apartPx) {
        double stepPx = Math.abs(toPx - fromPx) / log(base, high / low);
        int stride = Math.max(1, (int) Math.ceil(apartPx / stepPx));
        List<Double> ticks = new ArrayList<>();
        int first = Math.floorDiv((int) Math.floor(log(base, low)), stride) * stride;
        for (int power = first; power <= log(base, high) + 1e-9; power += stride) {
            addIfShown(ticks, Math.pow(base, power));
        }
        return ticks;
    }

    private void addIfShown(List<Double> ticks, double value) {
        if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) {
            ticks.add(value);
        }
    }

    private static double roundUp(double value) {
        double decade = Math.pow(10, Math.floor(Math.log10(value)));
        for (double factor : FACTORS) {
            if (value <= factor * decade * (1 + 1e-9)) {
                return factor * decade;
            }
        }
        return 10 * decade;
    }

    private static double roundDown(double value) {
        double decade = Math.pow(10, Math.floor(Math.log10(value) + 1e-9));
        double best = decade;
        for (double factor : FACTORS) {
            if (factor * decade <= value * (1 + 1e-9)) {
                best = factor * decade;
            }
        }
        return best;
    }

    private static double log(double base, double value) {
        return Math.log(value) / Math.log(base);
    }
}
