package io.verbena.tools.picture;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Writes an SVG picture, element by element, in one common style that follows the reader's choice of light or dark. The
 * text is the same under any locale. Attributes are pairs of a name and a value, which is a text or a number.
 *
 * <pre>{@code
 * String picture = new Svg(200, 100, "A line")
 *         .element("line", "class", "axis", "x1", 10, "y1", 10, "x2", 190, "y2", 90)
 *         .text("label", "start", 10, 50, "a < b")
 *         .finish();
 * }</pre>
 */
public final class Svg {

    private final StringBuilder out = new StringBuilder(8192);
    private final Deque<String> open = new ArrayDeque<>();

    /**
     * A picture on its background.
     *
     * @param width in pixels, also the width of the coordinate system
     * @param height in pixels, also the height of the coordinate system
     * @param title a description for screen readers
     */
    public Svg(double width, double height, String title) {
        open(
                "svg",
                "xmlns",
                "http://www.w3.org/2000/svg",
                "width",
                width,
                "height",
                height,
                "viewBox",
                "0 0 " + number(width) + " " + number(height),
                "role",
                "img");
        line("<title>" + escape(title) + "</title>");
        line("<style>" + Style.CSS + "</style>");
        element("rect", "class", "paper", "width", width, "height", height, "rx", 6);
    }

    /** Adds rules to the common style: classes that only this picture has. */
    public Svg style(String css) {
        line("<style>" + css + "</style>");
        return this;
    }

    /** Starts an element that has others in it; {@link #close} ends it. */
    public Svg open(String name, Object... attributes) {
        line("<" + name + attributes(attributes) + ">");
        open.push(name);
        return this;
    }

    /**
     * Ends the element that was opened last.
     *
     * @throws IllegalStateException when none is open
     */
    public Svg close() {
        if (open.isEmpty()) {
            throw new IllegalStateException("No element is open");
        }
        String name = open.pop();
        line("</" + name + ">");
        return this;
    }

    /** An element without content. */
    public Svg element(String name, Object... attributes) {
        line("<" + name + attributes(attributes) + "/>");
        return this;
    }

    /** An element that a browser explains with a few words when the mouse rests on it. */
    public Svg explained(String words, String name, Object... attributes) {
        line("<" + name + attributes(attributes) + "><title>" + escape(words) + "</title></" + name + ">");
        return this;
    }

    /**
     * Words at a place.
     *
     * @param style class of the common style, such as {@code label}
     * @param anchor what of the words is at {@code x}: {@code start}, {@code middle} or {@code end}
     */
    public Svg text(String style, String anchor, double x, double y, String words) {
        line("<text" + attributes("class", style, "text-anchor", anchor, "x", x, "y", y) + ">" + escape(words)
                + "</text>");
        return this;
    }

    /** Ends whatever is open and gives the whole picture. Nothing can be added after that. */
    public String finish() {
        while (!open.isEmpty()) {
            close();
        }
        return out.toString();
    }

    /**
     * Two finished pictures of one width as one, the second below the first.
     *
     * @param upper picture of {@link #finish}
     * @param lower another one
     */
    public static String stacked(String upper, String lower) {
        double upperPx = rootNumber(upper, "height");
        double height = upperPx + rootNumber(lower, "height");
        double width = rootNumber(upper, "width");
        String size =
                attributes("width", width, "height", height, "viewBox", "0 0 " + number(width) + " " + number(height));
        return "<svg xmlns=\"http://www.w3.org/2000/svg\"" + size + " role=\"img\">\n" + upper
                + lower.replaceFirst("<svg ", "<svg y=\"" + number(upperPx) + "\" ") + "</svg>\n";
    }

    private static double rootNumber(String picture, String attribute) {
        int from = picture.indexOf(' ' + attribute + "=\"") + attribute.length() + 3;
        return Double.parseDouble(picture.substring(from, picture.indexOf('"', from)));
    }

    /**
     * A number with two digits after the point at most, and no needless ones.
     *
     * @throws IllegalArgumentException for infinities and what is no number
     */
    public static String number(double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException("A picture has no place for " + value);
        }
        BigDecimal rounded = BigDecimal.valueOf(value).setScale(2, RoundingMode.HALF_UP);
        return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
    }

    /** Any words, as XML (1.0, section 2.2) allows them in texts and attributes. */
    public static String escape(String words) {
        StringBuilder escaped = new StringBuilder(words.length());
        words.codePoints().forEach(c -> {
            switch (c) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                default -> escaped.appendCodePoint(allowed(c) ? c : '\uFFFD');
            }
        });
        return escaped.toString();
    }

    private static boolean allowed(int c) {
        boolean surrogate = c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
        return c == '\t' || c == '\n' || c == '\r' || c >= ' ' && !surrogate && c != 0xFFFE && c != 0xFFFF;
    }

    private static String attributes(Object... namesAndValues) {
        if (namesAndValues.length % 2 != 0) {
            throw new IllegalArgumentException("Attributes are pairs of name and value; one is missing");
        }
        StringBuilder written = new StringBuilder();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            Object value = namesAndValues[i + 1];
            String text = value instanceof Number n ? number(n.doubleValue()) : escape(value.toString());
            written.append(' ')
                    .append(namesAndValues[i])
                    .append("=\"")
                    .append(text)
                    .append('"');
        }
        return written.toString();
    }

    private void line(String text) {
        out.append("  ".repeat(open.size())).append(text).append('\n');
    }
}
