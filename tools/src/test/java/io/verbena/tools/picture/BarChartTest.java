package io.verbena.tools.picture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.picture.BarChart.Bar;
import io.verbena.tools.picture.BarChart.Group;
import io.verbena.tools.picture.BarChart.Reference;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

class BarChartTest {

    private static final Axis RATIO = Axis.linear("Ratio", Unit.NUMBER);

    @Test
    void groups_haveBarsWhiskersValuesAndAReference() {
        Group first = new Group("write_bw 4 KiB", List.of(new Bar(2.5, 2.25, 2.75), Bar.of(1)));
        Group second = new Group("read_bw 4 KiB", List.of(Bar.of(3), Bar.NONE));
        Element svg = Pictures.parse(chart(List.of(first, second), Optional.of(new Reference(1, "plain NIO")))
                .toSvg());
        assertTrue(Pictures.texts(svg).containsAll(List.of("ours", "theirs", "2.5", "1", "3", "plain NIO", "Ratio")));
        List<Element> bars = Pictures.elements(svg, "rect").stream()
                .filter(bar -> bar.getElementsByTagName("title").getLength() == 1)
                .toList();
        assertEquals(3, bars.size());
        assertEquals(2.5, Pictures.number(bars.get(0), "height") / Pictures.number(bars.get(1), "height"), 0.01);
        assertEquals("write_bw 4 KiB, ours: 2.5 (2.25 to 2.75)", bars.get(0).getTextContent());
        assertEquals(1, byClass(svg, "path", "whisker"));
        assertEquals(2, byClass(svg, "line", "reference"));
    }

    @Test
    void manyGroups_valuesThatDoNotFit_areLeftOut() {
        List<Group> groups = IntStream.range(0, 40)
                .mapToObj(i -> new Group("g" + i, List.of(Bar.of(1.23), Bar.of(1.23))))
                .toList();
        Element svg = Pictures.parse(chart(groups, Optional.empty()).toSvg());
        assertEquals(0, byClass(svg, "text", "small"));
    }

    @Test
    void wrap_longNames_becomeLines() {
        assertEquals(List.of("write_bw", "64 KiB"), Frame.wrap("write_bw 64 KiB", 70));
        assertEquals(List.of("verylongwordindeed"), Frame.wrap(" verylongwordindeed ", 10));
    }

    @Test
    void nothingOrImpossibleValues_areRefused() {
        assertThrows(IllegalArgumentException.class, () -> chart(List.of(), Optional.empty()));
        Group lopsided = new Group("g", List.of(Bar.of(1)));
        assertThrows(IllegalArgumentException.class, () -> chart(List.of(lopsided), Optional.empty()));
        Group empty = new Group("g", List.of(Bar.NONE, Bar.NONE));
        assertThrows(IllegalArgumentException.class, () -> chart(List.of(empty), Optional.empty()));
        Group negative = new Group("g", List.of(Bar.of(-1), Bar.NONE));
        assertThrows(IllegalArgumentException.class, () -> chart(List.of(negative), Optional.empty()));
    }

    private static BarChart chart(List<Group> groups, Optional<Reference> reference) {
        return new BarChart("Title", "", List.of("ours", "theirs"), groups, RATIO, reference);
    }

    private static long byClass(Element svg, String name, String style) {
        return Pictures.elements(svg, name).stream()
                .filter(element -> element.getAttribute("class").equals(style))
                .count();
    }
}
