package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.sim.Profile;
import io.verbena.sim.World;
import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** The cost of the first large message, in virtual time. */
class EnlargementCostTest {

    private static final RnicOptions RNIC = RnicOptions.defaults().withProgress(Progress.ENGINE_THREAD);

    @Test
    void firstMessageThatEnlarges_costsAtMostThreeRoundTripsMoreThanTheNext() throws IOException {
        for (long seed = 1; seed <= 10; seed++) {
            World world = new World(seed, Profile.CALM);
            try (VirtualRanks ranks = new VirtualRanks(world, 2, RNIC, MessagingOptions.defaults())) {
                oneWay(world, ranks, 0, 8);
                oneWay(world, ranks, 1, 8);
                long roundTripNs = 0;
                for (int i = 0; i < 20; i++) {
                    roundTripNs = Math.max(roundTripNs, oneWay(world, ranks, 0, 8) + oneWay(world, ranks, 1, 8));
                }
                long firstNs = oneWay(world, ranks, 0, 5000);
                long nextNs = oneWay(world, ranks, 0, 5000);
                assertTrue(
                        firstNs - nextNs <= 3 * roundTripNs,
                        "seed " + seed + ": " + firstNs + " against " + nextNs + " ns, a round trip takes "
                                + roundTripNs);
            }
        }
    }

    private static long oneWay(World world, VirtualRanks ranks, int from, int length) {
        MemorySegment memory = Arena.ofAuto().allocate(length);
        long startNs = world.nowNs();
        MessageRequest receive = ranks.receive(1 - from, from, memory, 0);
        ranks.send(from, 1 - from, memory, length, 0);
        while (!receive.done()) {
            ranks.progress();
            if (!receive.done() && !world.step()) {
                world.runFor(1000);
            }
            assertTrue(world.nowNs() - startNs < 1_000_000_000L, "the message did not arrive");
        }
        return world.nowNs() - startNs;
    }
}
