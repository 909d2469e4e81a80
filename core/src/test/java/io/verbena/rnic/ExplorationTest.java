package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.Exploration.Counts;
import io.verbena.rnic.Exploration.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every interleaving of small scenarios, explored on the real engines. In each state and at each end
 * {@link ExploredSide} checks: every work request completes once, every event is reported once, there is at most one
 * cause, no memory is accessed after the disconnect is complete, and no side remains between two states. State counts
 * are printed.
 */
class ExplorationTest {

    private final Exploration exploration = new Exploration();

    private static ExploredStep[] steps(ExploredSide peer, List<Function<ExploredSide, ExploredStep>> steps) {
        return steps.stream().map(step -> step.apply(peer)).toArray(ExploredStep[]::new);
    }

    private Scenario scenario(
            String name,
            List<Function<ExploredSide, ExploredStep>> a,
            List<Function<ExploredSide, ExploredStep>> b,
            boolean fromSetUp,
            int breaks,
            int tears,
            int timeOuts) {
        return new Scenario(
                name, steps(exploration.b, a), steps(exploration.a, b), fromSetUp, breaks, tears, timeOuts, false);
    }

    private Counts explored(Scenario scenario) {
        Counts counts = exploration.explore(scenario);
        System.out.println("explored: " + counts);
        assertTrue(counts.ends() > 0);
        RecordedCounts.compare(counts);
        return counts;
    }

    private static Set<String> outcomes(Counts counts) {
        return counts.outcomes().keySet();
    }

    private static void assertSome(Counts counts, String part) {
        assertTrue(outcomes(counts).stream().anyMatch(o -> o.contains(part)), () -> part + " in " + outcomes(counts));
    }

    /** A way to end a connection, or to keep it open. */
    private enum Close {
        NONE,
        DISCONNECT,
        ERROR,
        CLOSE;

        Stream<Function<ExploredSide, ExploredStep>> steps() {
            return switch (this) {
                case NONE -> Stream.of();
                case DISCONNECT -> Stream.of(ExploredStep::disconnect);
                case ERROR -> Stream.of(ExploredStep::error);
                case CLOSE -> Stream.of(ExploredStep::closeQueuePair);
            };
        }
    }

    @Test
    void closing_everyKindOnEitherSide_workInFlight() {
        for (Close here : Close.values()) {
            for (Close there : Close.values()) {
                if (here == Close.NONE && there == Close.NONE) {
                    continue;
                }
                List<Function<ExploredSide, ExploredStep>> a = Stream.concat(
                                Stream.of(ExploredStep::read, ExploredStep::send), here.steps())
                        .toList();
                List<Function<ExploredSide, ExploredStep>> b = Stream.concat(
                                Stream.of(ExploredStep::receive), there.steps())
                        .toList();
                Counts counts = explored(scenario("A " + here + ", B " + there, a, b, false, 0, 0, 0));
                if (here != Close.ERROR && here != Close.CLOSE && there != Close.ERROR && there != Close.CLOSE) {
                    assertSome(counts, "A CLOSED/IDLE[CLOSE_COMPLETE], B CLOSED/IDLE[CLOSE_COMPLETE]");
                }
            }
        }
    }

    @Test
    void closing_readsAndAtomicsOfBothSides() {
        Counts counts = explored(scenario(
                "read here, atomic there, both disconnect",
                List.of(ExploredStep::read, ExploredStep::disconnect),
                List.of(ExploredStep::add, ExploredStep::disconnect),
                false,
                0,
                0,
                0));
        assertSome(counts, "B CLOSED/IDLE[CLOSE_COMPLETE]");
        assertSome(counts, "BAD_CLOSE");
    }

    @Test
    void closing_postedInTheMiddle_isSentOrFlushed() {
        explored(scenario(
                "posts after the disconnect",
                List.of(ExploredStep::disconnect, ExploredStep::send, ExploredStep::write),
                List.of(ExploredStep::receive, ExploredStep::write),
                false,
                0,
                0,
                1));
    }

    @Test
    void terminate_eitherSide_atAnyTime() {
        Counts counts = explored(scenario(
                "a bad key against a good read",
                List.of(ExploredStep::send, ExploredStep::badRead),
                List.of(ExploredStep::receive, ExploredStep::read, ExploredStep::disconnect),
                false,
                0,
                0,
                0));
        assertSome(counts, "A FAILED/ERROR[TERMINATE_RECEIVED], B FAILED/ERROR[QP_ACCESS_ERROR]");
    }

    @Test
    void terminate_bothAtOnce() {
        Counts counts = explored(scenario(
                "bad keys on both sides",
                List.of(ExploredStep::badRead),
                List.of(ExploredStep::badRead, ExploredStep::disconnect),
                false,
                0,
                0,
                1));
        assertSome(counts, "QP_ACCESS_ERROR");
    }

    @Test
    void stream_cutAtEveryPlace() {
        Counts counts = explored(scenario(
                "the network breaks, frames torn",
                List.of(ExploredStep::read, ExploredStep::send),
                List.of(ExploredStep::receive, ExploredStep::disconnect),
                false,
                1,
                1,
                0));
        assertSome(counts, "CONNECTION_RESET");
        assertSome(counts, "CLOSED/IDLE");
    }

    @Test
    void setUp_closedBrokenOrLate_atEveryPlace() {
        Counts counts = explored(scenario(
                "set-up against disconnect, ERROR and the network",
                List.of(ExploredStep::disconnect),
                List.of(ExploredStep::error),
                true,
                1,
                0,
                1));
        assertSome(counts, "FAILED/IDLE");
        Counts torn = explored(scenario(
                "set-up, frames torn, then work",
                List.of(ExploredStep::send, ExploredStep::disconnect),
                List.of(ExploredStep::receive),
                true,
                0,
                1,
                1));
        assertSome(torn, "A CLOSED/IDLE[CLOSE_COMPLETE], B CLOSED/IDLE[CLOSE_COMPLETE]");
    }

    @Test
    void peer_vanishesAtAnyMoment_isDetected() {
        Counts counts = exploration.explore(new Scenario(
                "B vanishes",
                steps(exploration.b, List.of(ExploredStep::read, ExploredStep::write)),
                steps(exploration.a, List.of(ExploredStep::read)),
                false,
                0,
                0,
                0,
                true));
        System.out.println("explored: " + counts);
        RecordedCounts.compare(counts);
        assertEquals(Set.of("A FAILED/ERROR[CONNECTION_LOST], B gone"), outcomes(counts));
    }

    /** Small cases, since without pruning each additional frame multiplies the states. */
    @ParameterizedTest
    @CsvSource({"true, 0", "false, 1"})
    void pruning_losesNothing(boolean disconnects, int breaks) {
        List<Set<String>> found = new ArrayList<>();
        for (boolean prunes : new boolean[] {true, false}) {
            Exploration each = new Exploration(prunes);
            Counts counts = each.explore(new Scenario(
                    prunes ? "with pruning" : "without pruning",
                    steps(each.b, disconnects ? List.of(ExploredStep::disconnect) : List.of()),
                    steps(each.a, List.of(ExploredStep::write)),
                    false,
                    breaks,
                    0,
                    0,
                    false));
            System.out.println("explored: " + counts);
            found.add(outcomes(counts));
        }
        assertEquals(found.get(0), found.get(1));
    }
}
