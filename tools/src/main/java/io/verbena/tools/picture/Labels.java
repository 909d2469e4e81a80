package io.verbena.tools.picture;

import java.util.ArrayList;
import java.util.List;

/** Writes words into a picture where they cover neither a line, nor a box, nor other words. */
public final class Labels {

    private static final double PX = 10.5;
    private static final double ABOVE = .82 * PX;
    private static final double BELOW = .24 * PX;

    /** Least distance of words to what is drawn. */
    private static final double APART = 1;

    private final List<Box> boxes = new ArrayList<>();
    private final List<Segment> segments = new ArrayList<>();
    private final double width;
    private final double height;

    /** An area that words must not cover. */
    private record Box(double left, double top, double right, double bottom) {
        boolean meets(Box other) {
            return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
        }
    }

    /** A straight line with half of its width. */
    private record Segment(double x1, double y1, double x2, double y2, double half) {

        /** Whether it enters a box: the part of the line that is between the four sides is not empty (Liang, Barsky). */
        boolean meets(Box box) {
            double margin = half + APART;
            double[] part = {0, 1};
            return clip(x1 - x2, x1 - (box.left - margin), part)
                    && clip(x2 - x1, box.right + margin - x1, part)
                    && clip(y1 - y2, y1 - (box.top - margin), part)
                    && clip(y2 - y1, box.bottom + margin - y1, part);
        }

        private static boolean clip(double towards, double distance, double... part) {
            if (towards == 0) {
                return distance >= 0;
            }
            double at = distance / towards;
            if (towards < 0) {
                part[0] = Math.max(part[0], at);
            } else {
                part[1] = Math.min(part[1], at);
            }
            return part[0] <= part[1];
        }
    }

    /** A place that is proposed for words: their anchor as in {@link Svg#text}, and where it is. */
    public record Place(String anchor, double x, double y) {}

    /**
     * Nothing is drawn yet.
     *
     * @param width of the picture, in pixels
     * @param height of the picture, in pixels
     */
    public Labels(double width, double height) {
        this.width = width;
        this.height = height;
    }

    /** Keeps words away from a straight line. */
    public void line(double x1, double y1, double x2, double y2, double lineWidth) {
        segments.add(new Segment(x1, y1, x2, y2, lineWidth / 2));
    }

    /** Keeps words away from a rectangle. */
    public void box(double left, double top, double right, double bottom) {
        boxes.add(new Box(left - APART, top - APART, right + APART, bottom + APART));
    }

    /** Whether words of the style {@code small} cover nothing at a place, and are in the picture. */
    public boolean free(Place place, String words) {
        Box box = around(place, words);
        return box.left >= 0
                && box.top >= 0
                && box.right <= width
                && box.bottom <= height
                && boxes.stream().noneMatch(box::meets)
                && segments.stream().noneMatch(line -> line.meets(box));
    }

    /** Writes words at the first place that is free; says whether there is one. */
    public boolean write(Svg svg, List<Place> places, String words) {
        for (Place place : places) {
            if (free(place, words)) {
                svg.text("small", place.anchor(), place.x(), place.y(), words);
                boxes.add(around(place, words));
                return true;
            }
        }
        return false;
    }

    private static Box around(Place place, String words) {
        double wide = Style.width(words) * PX / Style.TEXT_PX;
        double left = switch (place.anchor()) {
            case "start" -> place.x();
            case "end" -> place.x() - wide;
            default -> place.x() - wide / 2;
        };
        return new Box(left, place.y() - ABOVE, left + wide, place.y() + BELOW);
    }
}
