package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.completion.Notified;
import io.verbena.verbs.CompletionGroup;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.Spread;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A queue pair is assigned to an engine near the processor that handles its completions. */
class EngineAffinityTest {

    private static final RnicOptions THREE =
            RnicOptions.defaults().withEngines(3).withEngineCores(List.of(Set.of(0, 1), Set.of(2), Set.of(3)));

    private final ManualWorld world = new ManualWorld();

    @AfterEach
    void close() {
        world.close();
    }

    private static HandlerProcessor boundTo(Integer... cores) {
        return new HandlerProcessor() {
            @Override
            public void signal(CqHandlerId handler, Runnable work) {
                work.run();
            }

            @Override
            public Set<Integer> cores() {
                return Set.of(cores);
            }
        };
    }

    private static int engineOf(SoftRnic rnic, CompletionQueue cq) {
        SoftQueuePair softQueuePair =
                (SoftQueuePair) rnic.allocateProtectionDomain().createQueuePair(QueuePairOptions.of(cq));
        return softQueuePair.engine().index();
    }

    @Test
    void group_enginesBound_queuePairsLiveOnTheEngineThatSharesACore() {
        SoftRnic rnic = world.rnic(THREE);
        CompletionGroup group = rnic.createCompletionGroup(
                16, Notified.NOTHING, List.of(boundTo(3), boundTo(1), boundTo(2)), Spread.ROUND_ROBIN);
        int[] expected = {2, 0, 1};
        for (int i = 0; i < expected.length; i++) {
            assertEquals(expected[i], engineOf(rnic, group.queues().get(i)));
            assertEquals(expected[i], engineOf(rnic, group.queues().get(i)), "the following queue pair too");
        }
    }

    @Test
    void group_nothingBound_eachProcessorsQueuePairsShareAnEngine() {
        SoftRnic rnic = world.rnic(RnicOptions.defaults().withEngines(2));
        CompletionGroup group = rnic.createCompletionGroup(
                16, Notified.NOTHING, List.of(boundTo(), boundTo(), boundTo()), Spread.ROUND_ROBIN);
        for (int round = 0; round < 2; round++) {
            assertEquals(0, engineOf(rnic, group.queues().get(0)));
            assertEquals(1, engineOf(rnic, group.queues().get(1)));
            assertEquals(0, engineOf(rnic, group.queues().get(2)));
        }
    }

    @Test
    void cqWhoseHandlersProcessorIsBound_queuePairLivesBesideIt_othersAreSpread() {
        SoftRnic rnic = world.rnic(THREE);
        CqHandlerId id = rnic.setCompletionHandler(Notified.NOTHING, boundTo(2));
        CompletionQueue bound =
                rnic.createCompletionQueue(CompletionQueueOptions.capacity(8).withHandler(id));
        CompletionQueue free = rnic.createCompletionQueue(8);
        assertEquals(1, engineOf(rnic, bound));
        int first = engineOf(rnic, free);
        assertEquals((first + 1) % 3, engineOf(rnic, free));
        SoftQueuePair sends =
                (SoftQueuePair) rnic.allocateProtectionDomain().createQueuePair(QueuePairOptions.of(bound, free));
        assertEquals(1, sends.engine().index(), "also if only its sends complete there");
    }

    @Test
    void severalEnginesOnTheCore_takeTurns() {
        SoftRnic rnic =
                world.rnic(RnicOptions.defaults().withEngines(4).withEngineCores(List.of(Set.of(0), Set.of(1))));
        CqHandlerId id = rnic.setCompletionHandler(Notified.NOTHING, boundTo(1));
        CompletionQueue cq =
                rnic.createCompletionQueue(CompletionQueueOptions.capacity(8).withHandler(id));
        Set<Integer> used = Set.of(engineOf(rnic, cq), engineOf(rnic, cq));
        assertEquals(Set.of(1, 3), used);
    }

    @Test
    void setting_withoutCores_isRejected() {
        for (String wrong : List.of("a", "0;", "-1", "0,,1")) {
            IllegalArgumentException refused = assertThrows(
                    IllegalArgumentException.class,
                    () -> world.rnic(RnicOptions.defaults().withSettings(Map.of(RnicOptions.ENGINE_CORES, wrong))));
            assertTrue(String.valueOf(refused.getMessage()).contains("'" + wrong + "'"), refused.getMessage());
        }
        world.environments.clear(); // no RNIC was created
        assertThrows(
                IllegalArgumentException.class, () -> RnicOptions.defaults().withEngineCores(List.of(Set.of())));
    }
}
