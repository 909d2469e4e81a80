package io.verbena.sockets.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProblemLinesTest {

    private static final long MS = 1_000_000;

    private final List<String> said = new ArrayList<>();
    private final ProblemLines lines = new ProblemLines(said::add);

    @Test
    void manyWithinASecond_firstAtOnce_restInOneLineWithTheirNumber() {
        for (int i = 0; i < 2_356; i++) {
            lines.add("away", i % 1000 * MS);
        }
        assertEquals(List.of("away"), said);
        assertEquals(1, lines.leftNs(999 * MS + 999_999));
        lines.onTime(1_000 * MS);
        assertEquals(List.of("away", "away (2355 times)"), said);
    }

    @Test
    void oneIsHeldBack_isSaidAsItIs_andSilenceEndsTheSecond() {
        lines.add("first", 0);
        lines.add("second", MS);
        lines.onTime(1_000 * MS);
        lines.onTime(2_000 * MS);
        assertEquals(Long.MAX_VALUE, lines.leftNs(2_000 * MS));
        lines.add("third", 2_001 * MS);
        assertEquals(List.of("first", "second", "third"), said);
    }

    @Test
    void programThatCannotTakeASentence_endsNothing() {
        ProblemLines failing = new ProblemLines(sentence -> {
            throw new AssertionError(sentence);
        });
        failing.add("first", 0);
        failing.add("second", 1);
        failing.flush();
        assertEquals(Long.MAX_VALUE, lines.leftNs(0));
    }

    @Test
    void end_saysWhatWasHeldBack() {
        lines.add("first", 0);
        lines.add("second", 1);
        lines.add("third", 2);
        lines.flush();
        lines.flush();
        assertEquals(List.of("first", "third (2 times)"), said);
    }
}
