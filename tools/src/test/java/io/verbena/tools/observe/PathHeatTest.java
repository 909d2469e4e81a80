package io.verbena.tools.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Figures;
import io.verbena.verbs.RnicFigures;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PathHeatTest {

    private static Figures pair(String states, long... bytes) {
        Figures.Builder figures = Figures.of("queue_pair");
        if (!states.isEmpty()) {
            figures.text("paths", states);
        }
        for (int i = 0; i < bytes.length; i++) {
            figures.value(RnicFigures.PATH_IO, String.valueOf(i), bytes[i]);
        }
        return figures.build();
    }

    private static String line(Figures before, Figures now) {
        return PathHeat.line(before, now).map(String::strip).orElse("");
    }

    @Test
    void pathsAreShadedByWhatTheySent_andAvoidedOnesHaveALetter() {
        assertEquals("paths █▄·RP", line(pair("AAAAA", 100, 100, 100, 0, 0), pair("AAARP", 500, 300, 100, 900, 0)));
        assertEquals("paths ··", line(pair("AA", 5, 5), pair("AA", 5, 5)), "nothing was sent");
        assertEquals("paths █▁", line(pair(""), pair("AA", 1_000_000, 1)), "the first sample");
    }

    @Test
    void oneUsualPath_hasNoLine() {
        assertEquals(Optional.empty(), PathHeat.line(pair(""), pair("")));
    }
}
