package io.verbena.notify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.HandlerFigures;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The figures of handlers, and notices that run one after the other. */
class TallyAndNoticesTest {

    @Test
    void noRuns_noPercentiles() {
        assertEquals(new HandlerFigures(0, 0, 0, new TreeMap<>(), 0, 0), new HandlerTally().figures());
    }

    @Test
    void waitsBelowSixteen_areExact() {
        HandlerTally tally = new HandlerTally();
        for (int wait = 0; wait < 16; wait++) {
            tally.add(wait, 100 + wait, 2, wait == 3);
        }
        HandlerFigures figures = tally.figures();
        assertEquals(16, figures.events());
        assertEquals(32, figures.completions());
        assertEquals(1, figures.failures());
        assertEquals(16 * 100 + 120, figures.inHandlerNs());
        assertEquals(115, figures.inHandlerMaxNs());
        assertEquals(7, figures.toHandlerMedianNs());
        assertEquals(15, figures.toHandlerMaxNs());
        assertEquals(0, figures.toHandlerNs().get(5.0));
        assertEquals(1, figures.toHandlerNs().get(10.0));
        assertEquals(3, figures.toHandlerNs().get(25.0));
        assertEquals(11, figures.toHandlerNs().get(75.0));
        assertEquals(15, figures.toHandlerNs().get(99.0));
    }

    /** Steps of an eighth: what a percentile says is the value or at most an eighth more, and never above the maximum. */
    @Test
    void anyWaits_percentilesAreAtMostAnEighthTooHigh() {
        SplittableRandom random = new SplittableRandom(12);
        for (int round = 0; round < 200; round++) {
            long wait = random.nextLong(1L << random.nextInt(1, 62));
            HandlerTally tally = new HandlerTally();
            tally.add(wait, 1, 0, false);
            tally.add(Long.MAX_VALUE >>> 1, 1, 0, false);
            long median = Objects.requireNonNull(tally.figures().toHandlerNs().get(50.0));
            assertTrue(median >= wait && median - wait <= wait / 8, wait + " is shown as " + median);
            HandlerTally alone = new HandlerTally();
            alone.add(wait, 1, 0, false);
            assertEquals(wait, alone.figures().toHandlerMedianNs(), "not above the maximum");
        }
    }

    @Test
    void clockWentBack_isNoWait() {
        HandlerTally tally = new HandlerTally();
        tally.add(-5, 3, 1, false);
        assertEquals(0, tally.figures().toHandlerMaxNs());
        assertEquals(0, tally.figures().toHandlerMedianNs());
    }

    // Notices.

    @Test
    void notices_runInOrder_inOnePieceOfWork_whateverOneThrows() {
        FakeProcessor processor = new FakeProcessor();
        SerialRunner runner = new SerialRunner(processor);
        List<String> log = new ArrayList<>();
        runner.add(() -> log.add("first"));
        runner.add(() -> {
            throw new AssertionError("on purpose");
        });
        runner.add(() -> {
            log.add("third");
            runner.add(() -> log.add("added"));
        });
        assertEquals(1, processor.work.size());
        processor.serve();
        assertEquals(List.of("first", "third", "added"), log);
        assertEquals(0, processor.work.size());
        runner.add(() -> log.add("later"));
        assertEquals(1, processor.work.size());
        processor.serve();
        assertEquals("later", log.getLast());
    }

    @Test
    void noticesOfAProcessorThatThrows_areTriedAgainWithTheNextOne() {
        FakeProcessor processor = new FakeProcessor();
        SerialRunner runner = new SerialRunner(processor);
        List<String> log = new ArrayList<>();
        processor.failing = "signal";
        runner.add(() -> log.add("first"));
        processor.failing = "";
        assertEquals(0, processor.work.size());
        runner.add(() -> log.add("second"));
        processor.serve();
        assertEquals(List.of("first", "second"), log);
    }

    @Test
    void noticesOfAProcessorThatHasEnded_areNoError() {
        List<String> log = new ArrayList<>();
        boolean[] ended = {true};
        SerialRunner runner = new SerialRunner((id, work) -> {
            if (ended[0]) {
                throw new IllegalStateException("the processor has ended");
            }
            work.run();
        });
        runner.add(() -> log.add("first"));
        assertEquals(List.of(), log);
        ended[0] = false;
        runner.add(() -> log.add("second"));
        assertEquals(List.of("first", "second"), log);
    }
}
