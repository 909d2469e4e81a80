package io.verbena.tools.picture;

import java.util.Locale;

/** The common look of all pictures: colours that differ also for those who see fewer of them, on white and on black. */
final class Style {

    /** How many series have a colour of their own; after that they begin again, with another mark. */
    static final int COLOURS = 8;

    private static final int MARKS = 5;
    static final int TEXT_PX = 12;

    /** The width of a sans-serif letter, relative to the height of the font; generous, so that words never touch. */
    private static final double LETTER = 0.6;

    private static final String[] LIGHT = {
        "#0b62c4", "#d1480c", "#0b8a5f", "#8b3fb3", "#b98000", "#c2255c", "#3b7f8c", "#5c636a"
    };
    private static final String[] DARK = {
        "#5aa9ff", "#ff8f57", "#3fd19b", "#c98bf0", "#f0c14b", "#ff7aa8", "#74c7d6", "#b0b8c0"
    };

    static final String CSS = "text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,"
            + "sans-serif;font-size:12px;fill:#424a53}"
            + ".title{font-size:17px;font-weight:600;fill:#1f2328}.head{font-weight:600;fill:#1f2328}"
            + ".small{font-size:10.5px;paint-order:stroke;stroke:#ffffff;stroke-width:3px;stroke-linejoin:round}"
            + ".paper{fill:#ffffff}.grid{stroke:#e3e6ea;stroke-width:1}.axis{stroke:#8c959f;stroke-width:1}"
            + ".whisker{stroke:#1f2328;stroke-width:1.3;fill:none}"
            + ".reference{stroke:#1f2328;stroke-width:1.3;stroke-dasharray:5 4}"
            + ".curve{fill:none;stroke-width:2.2;stroke-linejoin:round;stroke-linecap:round}"
            + colours(LIGHT)
            + "@media (prefers-color-scheme:dark){text{fill:#b3bbc4}.title,.head{fill:#f0f3f6}.paper{fill:#0d1117}.small{stroke:#0d1117}"
            + ".grid{stroke:#262c34}.axis{stroke:#7d8590}.whisker,.reference{stroke:#f0f3f6}"
            + colours(DARK) + "}";

    private Style() {}

    /** Class that strokes in the colour of a series. */
    static String stroke(int series) {
        return "s" + series % COLOURS;
    }

    /** Class that fills in the colour of a series. */
    static String fill(int series) {
        return "f" + series % COLOURS;
    }

    /** About how wide a label is, in pixels. */
    static double width(String label) {
        return label.codePointCount(0, label.length()) * LETTER * TEXT_PX;
    }

    /** The outline of a series' mark around a point: a shape of its own, for those who do not see its colour. */
    static String mark(int series, double x, double y) {
        return switch (series % MARKS) {
            case 0 -> path("M %s %s a 3.4 3.4 0 1 0 6.8 0 a 3.4 3.4 0 1 0 -6.8 0 z", x - 3.4, y);
            case 1 -> path("M %s %s h 6.2 v 6.2 h -6.2 z", x - 3.1, y - 3.1);
            case 2 -> path("M %s %s l 4.4 4.4 l -4.4 4.4 l -4.4 -4.4 z", x, y - 4.4);
            case 3 -> path("M %s %s l 4.2 7.2 h -8.4 z", x, y - 4.6);
            default -> path("M %s %s l 4.2 -7.2 h -8.4 z", x, y + 4.6);
        };
    }

    private static String path(String shape, double x, double y) {
        return String.format(Locale.ROOT, shape, Svg.number(x), Svg.number(y));
    }

    private static String colours(String... colours) {
        StringBuilder css = new StringBuilder();
        for (int i = 0; i < COLOURS; i++) {
            css.append(".s").append(i).append("{stroke:").append(colours[i]).append('}');
            css.append(".f").append(i).append("{fill:").append(colours[i]).append('}');
        }
        return css.toString();
    }
}
