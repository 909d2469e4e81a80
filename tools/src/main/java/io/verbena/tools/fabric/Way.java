package io.verbena.tools.fabric;

import io.verbena.tools.picture.Labels;
import io.verbena.tools.picture.Svg;

/**
 * How a link runs in a picture: straight, or along a cubic curve.
 *
 * @param points coordinates of the begin, of two control points if it is a curve, and of the end
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Way(double... points) {

    private static final int STRAIGHT_PARTS = 24;

    /** As the attribute {@code d} of a path, without the begin. */
    String onwards() {
        StringBuilder d = new StringBuilder(points.length > 4 ? "C" : "L");
        for (int i = 2; i < points.length; i++) {
            d.append(' ').append(Svg.number(points[i]));
        }
        return d.toString();
    }

    /** As the attribute {@code d} of a path. */
    String d() {
        return "M " + Svg.number(points[0]) + " " + Svg.number(points[1]) + " " + onwards();
    }

    /** Keeps words away from it. */
    void keepFree(Labels labels, double width) {
        if (points.length == 4) {
            labels.line(points[0], points[1], points[2], points[3], width);
            return;
        }
        for (int i = 0; i < STRAIGHT_PARTS; i++) {
            double from = i / (double) STRAIGHT_PARTS;
            double to = (i + 1) / (double) STRAIGHT_PARTS;
            labels.line(at(0, from), at(1, from), at(0, to), at(1, to), width);
        }
    }

    private double at(int axis, double t) {
        double u = 1 - t;
        return u * u * u * points[axis]
                + 3 * u * u * t * points[axis + 2]
                + 3 * u * t * t * points[axis + 4]
                + t * t * t * points[axis + 6];
    }
}
