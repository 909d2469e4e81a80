package io.verbena.bench.side;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.bench.side.Row.Candidate;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OutcomeTest {

    private static final Candidate FIRST = new Candidate("one", "INLINE", "ours", "theirs");
    private static final Candidate SECOND = new Candidate("two", "engine threads", "ours", "theirs");

    static Samples samples(String... lines) {
        Samples samples = new Samples();
        for (String line : lines) {
            samples.take(line);
        }
        return samples;
    }

    private static Row row(Unit unit, Goal goal) {
        return new Row("op", "peer", unit, goal, List.of(FIRST, SECOND));
    }

    private static final Samples DOUBLE = samples("sample ours 4", "noise", "sample theirs 2", "done");
    private static final Samples TRIPLE = samples("sample theirs 1", "sample ours 3", "done");

    @Test
    void moreIsBetter_theGreaterRatio_isShown() {
        Outcome outcome =
                Outcome.of(row(Unit.GIGABYTES_PER_SECOND, Goal.atLeast(3)), Map.of("one", DOUBLE, "two", TRIPLE));
        assertEquals(SECOND, outcome.best().orElseThrow().candidate());
        assertEquals(3, outcome.best().orElseThrow().ratio().median());
        assertEquals(2, outcome.measured().size());
        assertTrue(outcome.reached());
    }

    @Test
    void lessIsBetter_theSmallerRatio_isShown() {
        Outcome outcome = Outcome.of(row(Unit.MICROSECONDS, Goal.atMost(1.15)), Map.of("one", DOUBLE, "two", TRIPLE));
        assertEquals(FIRST, outcome.best().orElseThrow().candidate());
        assertFalse(outcome.reached());
    }

    @Test
    void oneModeFailed_theOther_isShown() {
        Outcome outcome = Outcome.of(
                row(Unit.GIGABYTES_PER_SECOND, Goal.NONE), Map.of("one", DOUBLE, "two", samples("sample ours 9")));
        assertEquals(FIRST, outcome.best().orElseThrow().candidate());
    }

    @Test
    void peerAbsent_noFigures_butItsReason() {
        Samples alone = samples("absent theirs is not installed", "sample ours 1", "done");
        Outcome outcome = Outcome.of(row(Unit.GIGABYTES_PER_SECOND, Goal.NONE), Map.of("one", alone));
        assertTrue(outcome.best().isEmpty());
        assertEquals("is not installed", outcome.reason());
        assertFalse(outcome.reached());
    }

    @Test
    void childFailed_noFigures_butItsReason() {
        Samples failed = samples("sample ours 1", "sample theirs 1");
        failed.fail("it broke");
        Outcome outcome = Outcome.of(row(Unit.GIGABYTES_PER_SECOND, Goal.NONE), Map.of("one", failed));
        assertEquals("it broke", outcome.reason());
    }

    @Test
    void standingAlone_ourFigure_isTheRatio() {
        Row row = new Row(
                "op", "", Unit.GIGABYTES_PER_SECOND, Goal.atMost(0.1), List.of(new Candidate("one", "", "ours", "")));
        Outcome outcome = Outcome.of(row, Map.of("one", samples("sample ours 0.05", "done")));
        assertTrue(outcome.reached());
        assertTrue(outcome.best().orElseThrow().alone());
    }
}
