package io.verbena.bench.side;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.bench.side.Experiment.Entrant;
import io.verbena.bench.side.VerbenaStream.Operation;
import io.verbena.bench.side.peer.Contestant;
import io.verbena.bench.side.peer.NettyStream;
import io.verbena.bench.side.peer.NioPacked;
import io.verbena.bench.side.peer.NioStream;
import io.verbena.verbs.Progress;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunnerTest {

    private static final VerbenaPair.Mode INLINE = new VerbenaPair.Mode(Progress.INLINE, 0);
    private static final VerbenaPair.Mode THREADS =
            new VerbenaPair.Mode(Progress.ENGINE_THREAD, 0, VerbenaPair.Trait.CRC);

    /** Always as fast as it says. */
    private record Steady(String name, long nsEach, List<String> order) implements Contestant {
        @Override
        public long run(long messages) {
            order.add(name);
            return messages * nsEach;
        }

        @Override
        public void close() {}
    }

    private static Samples run(int messageBytes, Unit unit, Effort effort, Entrant... entrants) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Experiment experiment = new Experiment("x", messageBytes, unit, List.of(entrants));
        new Runner(experiment, effort, new PrintStream(bytes, true, StandardCharsets.UTF_8)).run();
        Samples samples = new Samples();
        bytes.toString(StandardCharsets.UTF_8).lines().forEach(samples::take);
        return samples;
    }

    @Test
    void twoContestants_takeTurns_inTheOtherOrderEveryOtherTime() throws Exception {
        List<String> order = new ArrayList<>();
        Samples samples = run(
                100,
                Unit.GIGABYTES_PER_SECOND,
                new Effort(3, 1000, 1, 1),
                new Entrant("a", () -> new Steady("a", 50, order)),
                new Entrant("b", () -> new Steady("b", 100, order)));
        assertArrayEquals(new double[] {2, 2, 2}, samples.of("a"), 1e-9);
        assertArrayEquals(new double[] {1, 1, 1}, samples.of("b"), 1e-9);
        assertEquals(List.of("a", "b", "b", "a", "a", "b"), order.subList(order.size() - 6, order.size()));
    }

    @Test
    void oneThatCannotTakePart_isReported_andTheOthersGoOn() throws Exception {
        Samples samples = run(
                8,
                Unit.MICROSECONDS,
                new Effort(3, 1000, 1, 1),
                new Entrant("a", () -> new Steady("a", 4000, new ArrayList<>())),
                new Entrant("b", () -> {
                    throw new IllegalStateException("no library");
                }));
        assertArrayEquals(new double[] {2, 2, 2}, samples.of("a"), 1e-9);
        assertTrue(samples.absent("b").contains("no library"));
    }

    /** Every contestant of ours and of plain Java runs for real, a little. */
    @Test
    void realContestants_allMoveWhatTheyShould() throws Exception {
        Effort little = new Effort(3, 1_000_000, 1, 1);
        List<Entrant> entrants = new ArrayList<>(List.of(
                new Entrant("nio", () -> new NioStream(4096, false, 0)),
                new Entrant("packed", () -> new NioPacked(64, 0)),
                new Entrant("netty", () -> new NettyStream(4096, 0)),
                new Entrant("many", () -> new VerbenaMany(4, 4096, INLINE))));
        for (Operation operation : Operation.values()) {
            entrants.add(new Entrant(operation + "-inline", () -> new VerbenaStream(operation, 4096, INLINE)));
            entrants.add(new Entrant(operation + "-threads", () -> new VerbenaStream(operation, 65_536, THREADS)));
        }
        Samples samples = run(4096, Unit.MILLIONS_PER_SECOND, little, entrants.toArray(Entrant[]::new));
        for (Entrant entrant : entrants) {
            assertEquals(3, samples.of(entrant.name()).length, entrant.name() + ": " + samples.absent(entrant.name()));
        }
        assertEquals(3, samples.of("many/worstShare").length);
    }
}
