package io.verbena.tools.picture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.picture.LineChart.Panel;
import io.verbena.tools.picture.LineChart.Point;
import io.verbena.tools.picture.LineChart.Series;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

class LineChartTest {

    private static final Axis SIZE = Axis.logarithmic("Message size", Unit.BYTES);
    private static final Axis RATE = Axis.linear("Bandwidth", Unit.BYTES_PER_SECOND);
    private static final Axis TIME = Axis.logarithmic("Latency", Unit.NANOSECONDS);

    @Test
    void twoPanels_haveCurvesMarksLegendAndLabels() {
        Panel upper = new Panel(SIZE, RATE, List.of(series("a & b", 64, 1e9, 4096, 2e9), series("c", 64, 5e8)));
        Panel lower = new Panel(SIZE, TIME, List.of(series("c", 64, 5000, 4096, 9000)));
        Element svg = Pictures.parse(new LineChart("Title", "some words", List.of(upper, lower)).toSvg());
        List<String> texts = Pictures.texts(svg);
        assertTrue(texts.containsAll(List.of("Title", "some words", "a & b", "c", "Bandwidth", "Latency", "4 KiB")));
        assertEquals(2, texts.stream().filter("Message size"::equals).count());
        List<Element> curves = Pictures.elements(svg, "polyline");
        assertEquals(3, curves.size());
        assertEquals(curves.get(1).getAttribute("class"), curves.get(2).getAttribute("class"));
        assertEquals(2 + 5, Pictures.elements(svg, "path").size());
        assertTrue(Pictures.elements(svg, "path").getLast().getTextContent().equals("c: 9 µs at 4 KiB"));
    }

    @Test
    void points_anyOrder_areDrawnFromLeftToRightInsideThePicture() {
        Series series = series("a", 4096, 2e9, 2, 1e6, 64, 1e9);
        Element svg = Pictures.parse(new LineChart("", "", List.of(new Panel(SIZE, RATE, List.of(series)))).toSvg());
        String[] points = Pictures.elements(svg, "polyline")
                .getFirst()
                .getAttribute("points")
                .split(" ");
        double before = 0;
        for (String point : points) {
            double x = Double.parseDouble(point.split(",")[0]);
            assertTrue(x > before && x < Pictures.number(svg, "width"));
            before = x;
        }
    }

    @Test
    void oneSeries_hasNoLegend() {
        LineChart chart = new LineChart("Title", "", List.of(new Panel(SIZE, TIME, List.of(series("only", 64, 5000)))));
        assertTrue(Pictures.texts(Pictures.parse(chart.toSvg())).stream().noneMatch("only"::equals));
    }

    @Test
    void nothingOrImpossibleValues_areRefused() {
        assertThrows(IllegalArgumentException.class, () -> new LineChart("", "", List.of()));
        assertThrows(IllegalArgumentException.class, () -> chart(TIME));
        assertThrows(IllegalArgumentException.class, () -> chart(TIME, 64, 0));
        assertThrows(IllegalArgumentException.class, () -> chart(RATE, 0, 5));
        assertThrows(IllegalArgumentException.class, () -> chart(RATE, 64, Double.NaN));
    }

    private static LineChart chart(Axis y, double... xy) {
        return new LineChart("", "", List.of(new Panel(SIZE, y, List.of(series("s", xy)))));
    }

    private static Series series(String name, double... xy) {
        List<Point> points = new ArrayList<>();
        for (int i = 0; i < xy.length; i += 2) {
            points.add(new Point(xy[i], xy[i + 1]));
        }
        return new Series(name, points);
    }
}
