package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.Exploration.Counts;
import io.verbena.rnic.Exploration.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every interleaving of posts that are executed where they are made and of short messages that are taken where they
 * arrive, with frames between them, closes, errors and failures, as in {@link ExplorationTest}.
 */
class ExploredMessagesTest {

    private static final int TEARS = 1;

    /** A way to end a connection. */
    private enum End {
        DISCONNECT(ExploredStep::disconnect),
        ERROR(ExploredStep::error),
        CLOSE(ExploredStep::closeQueuePair);

        private final Function<ExploredSide, ExploredStep> step;

        End(Function<ExploredSide, ExploredStep> step) {
            this.step = step;
        }
    }

    private static ExploredStep[] steps(ExploredSide peer, List<Function<ExploredSide, ExploredStep>> steps) {
        return steps.stream().map(step -> step.apply(peer)).toArray(ExploredStep[]::new);
    }

    private static Counts explored(
            boolean prunes,
            String name,
            List<Function<ExploredSide, ExploredStep>> a,
            List<Function<ExploredSide, ExploredStep>> b,
            int breaks) {
        Exploration exploration = new Exploration(prunes, ExploredRing::pair);
        return exploration.explore(new Scenario(
                "messages, " + name, steps(exploration.b, a), steps(exploration.a, b), false, breaks, TEARS, 0, false));
    }

    private static Set<String> outcomes(
            String name,
            List<Function<ExploredSide, ExploredStep>> a,
            List<Function<ExploredSide, ExploredStep>> b,
            int breaks) {
        Counts counts = explored(true, name, a, b, breaks);
        System.out.println("explored: " + counts);
        RecordedCounts.compare(counts);
        return counts.outcomes().keySet();
    }

    private static void assertSome(Set<String> outcomes, String part) {
        assertTrue(outcomes.stream().anyMatch(o -> o.contains(part)), () -> part + " in " + outcomes);
    }

    @ParameterizedTest
    @EnumSource
    void ended_byThePoster(End end) {
        Set<String> outcomes = outcomes(
                "A posts and ends by " + end,
                List.of(ExploredStep::write, ExploredStep::longWrite, ExploredStep::send, end.step),
                List.of(ExploredStep::receive),
                0);
        if (end == End.DISCONNECT) {
            assertEquals(Set.of("A CLOSED/IDLE[CLOSE_COMPLETE], B CLOSED/IDLE[CLOSE_COMPLETE]"), both(outcomes));
        }
    }

    /** Without the ends in which the Send has found no receive. */
    private static Set<String> both(Set<String> outcomes) {
        Set<String> left = new TreeSet<>(outcomes);
        left.removeIf(outcome -> outcome.contains("FAILED"));
        return left;
    }

    @ParameterizedTest
    @EnumSource
    void ended_byTheReceiver(End end) {
        outcomes(
                "B receives and ends by " + end,
                List.of(ExploredStep::write, ExploredStep::longWrite, ExploredStep::send),
                List.of(ExploredStep::receive, end.step),
                0);
    }

    @ParameterizedTest
    @EnumSource
    void ended_byBoth_whoPost(End end) {
        outcomes(
                "both post and end by " + end,
                List.of(ExploredStep::receive, ExploredStep::send, end.step),
                List.of(ExploredStep::receive, ExploredStep::send, end.step),
                0);
    }

    @Test
    void messageBesideReadsAndAtomics_keepsItsPlace() {
        Set<String> outcomes = outcomes(
                "a Read and an atomic between messages",
                List.of(ExploredStep::write, ExploredStep::read, ExploredStep::send, ExploredStep::disconnect),
                List.of(ExploredStep::receive, ExploredStep::add),
                0);
        assertSome(outcomes, "A CLOSED/IDLE[CLOSE_COMPLETE], B CLOSED/IDLE[CLOSE_COMPLETE]");
    }

    @Test
    void badKey_inAMessage_isRefused() {
        Set<String> outcomes = outcomes(
                "a bad key",
                List.of(ExploredStep::send, ExploredStep::badWrite, ExploredStep::write),
                List.of(ExploredStep::receive, ExploredStep::write, ExploredStep::disconnect),
                0);
        assertSome(outcomes, "A FAILED/ERROR[TERMINATE_RECEIVED], B FAILED/ERROR[QP_ACCESS_ERROR]");
    }

    @Test
    void brokenStream_atEveryPlace() {
        Set<String> outcomes = outcomes(
                "the stream breaks",
                List.of(ExploredStep::write, ExploredStep::longWrite, ExploredStep::send),
                List.of(ExploredStep::receive, ExploredStep::disconnect),
                1);
        assertSome(outcomes, "CONNECTION_RESET");
    }

    @Test
    void postedAfterTheDisconnect_isSentOrFlushed() {
        Stream.of(End.DISCONNECT, End.ERROR)
                .forEach(end -> outcomes(
                        "posts after " + end,
                        List.of(end.step, ExploredStep::send, ExploredStep::write),
                        List.of(ExploredStep::receive, ExploredStep::write),
                        0));
    }

    /** States that were visited are not continued; the outcomes are the same without that. */
    @Test
    void pruning_losesNothing() {
        List<Set<String>> found = new ArrayList<>();
        for (boolean prunes : new boolean[] {true, false}) {
            Counts counts = explored(
                    prunes,
                    prunes ? "with pruning" : "without pruning",
                    List.of(ExploredStep::disconnect),
                    List.of(ExploredStep::write),
                    0);
            found.add(counts.outcomes().keySet());
        }
        assertEquals(found.get(0), found.get(1));
    }
}
