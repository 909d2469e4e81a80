package io.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Figure.Kind;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The definitions of figures follow one rule, and docs/observing.md lists them all. */
class RnicFiguresTest {

    private static final Path DOCUMENT = Path.of("../docs/observing.md");

    @Test
    void everyConstant_isListedOnce() throws IllegalAccessException {
        List<Figure> constants = new ArrayList<>();
        for (Field field : RnicFigures.class.getFields()) {
            constants.add((Figure) field.get(null));
        }
        assertEquals(constants, RnicFigures.all());
        assertEquals(
                constants.size(),
                constants.stream().map(Figure::name).distinct().count());
    }

    @Test
    void document_hasTheTable() throws IOException {
        String table = RnicFigures.all().stream()
                .map(RnicFiguresTest::row)
                .collect(Collectors.joining(
                        "\n", "| figure | kind | unit | attribute | meaning |\n|---|---|---|---|---|\n", "\n"));
        assertTrue(Files.readString(DOCUMENT).contains(table), () -> "docs/observing.md must contain:\n" + table);
    }

    private static String row(Figure figure) {
        return "| `" + figure.name() + "` | " + figure.kind().name().toLowerCase(Locale.ROOT) + " | `" + figure.unit()
                + "` | " + (figure.attribute().isEmpty() ? "" : "`" + figure.attribute() + "`") + " | "
                + figure.description() + " |";
    }

    @Test
    void name_withoutPrefixOrWithCapitals_isRejected() {
        for (String name : List.of("queue_pair.io", "verbena.io", "verbena.queuePair.io", "verbena.queue pair.io")) {
            assertThrows(IllegalArgumentException.class, () -> new Figure(name, Kind.COUNTER, "By", "", ""));
        }
    }

    @Test
    void value_withoutTheAttributeOfItsFigure_isRejected() {
        Figures.Builder builder = Figures.of("queue_pair");
        assertThrows(IllegalArgumentException.class, () -> builder.value(RnicFigures.IO, 1));
        assertThrows(IllegalArgumentException.class, () -> builder.value(RnicFigures.ENTRIES, "send", 1));
    }

    @Test
    void rnic_ofAProviderWithoutFigures_isEmpty() {
        Figures figures = Figures.of("rnic").build();
        assertEquals(0, figures.number(RnicFigures.QUEUE_PAIRS));
        assertEquals(List.of(), figures.parts("queue_pair"));
    }
}
