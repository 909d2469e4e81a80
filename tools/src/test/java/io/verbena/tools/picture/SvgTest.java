package io.verbena.tools.picture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

class SvgTest {

    @Test
    void number_any_hasTwoDigitsAtMostAndAPoint() {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.GERMANY);
            assertEquals("1.5", Svg.number(1.5));
            assertEquals("0", Svg.number(-0.001));
            assertEquals("3.14", Svg.number(Math.PI));
            assertEquals("12000000", Svg.number(12e6));
            assertEquals("-7", Svg.number(-7));
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void number_notFinite_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> Svg.number(Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> Svg.number(Double.POSITIVE_INFINITY));
    }

    @Test
    void escape_whatXmlForbids_isEscapedOrReplaced() {
        assertEquals("a &lt;b&gt; &amp; &quot;c&quot;", Svg.escape("a <b> & \"c\""));
        assertEquals("\uFFFD|\uFFFD|\uFFFD", Svg.escape("\u0000|\ud800|\uffff"));
        assertEquals("µs \ud83d\ude80", Svg.escape("µs \ud83d\ude80"));
    }

    @Test
    void finish_openElements_areClosedAndWellFormed() {
        String picture = new Svg(200, 100, "<\"title\">")
                .open("g", "class", "a&b")
                .element("line", "x1", 1.25, "y1", 2)
                .explained("5 > 4", "rect", "width", 3)
                .text("label", "middle", 1, 2, "x < y")
                .finish();
        Element svg = Pictures.parse(picture);
        assertEquals("0 0 200 100", svg.getAttribute("viewBox"));
        assertEquals("200", svg.getAttribute("width"));
        assertEquals("<\"title\">", svg.getElementsByTagName("title").item(0).getTextContent());
        assertEquals("x < y", Pictures.texts(svg).getFirst());
        assertTrue(picture.contains("prefers-color-scheme:dark"));
    }

    @Test
    void misuse_throws() {
        Svg svg = new Svg(10, 10, "");
        assertThrows(IllegalArgumentException.class, () -> svg.element("line", "x1"));
        svg.close();
        assertThrows(IllegalStateException.class, svg::close);
    }
}
