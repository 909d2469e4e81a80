package io.verbena.outcome;

import io.verbena.verbs.Rnic;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The order of work through the verbs, on every provider: each pair of operations, with and without a fence. Completions are in the order of
 * posting, local work is not visible before the work that it waits for is complete, and the words of both sides are those of a permitted
 * order ({@link io.verbena.fixture.OrderedWork}). The engines' tests RcOrderTest and StreamOrderTest control when a peer answers.
 */
class VerbsOrderTest {

    private static final int ROUNDS = Integer.getInteger("verbena.orders", 10);

    @ParameterizedTest
    @EnumSource
    void eachPair_effectsAndCompletions_areInAPermittedOrder(TestedProvider provider) throws Exception {
        try (Rnic near = provider.open();
                Rnic far = provider.open();
                Scene scene = new Scene(provider, near, far).connect()) {
            for (Ordered first : Ordered.values()) {
                for (Ordered second : Ordered.values()) {
                    for (int i = 0; i < 2 * ROUNDS; i++) {
                        new OrderedScene(scene, first, second, i % 2 == 1).run();
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = "ROCE.*", mode = EnumSource.Mode.MATCH_ALL)
    void eachPairOfReliableDatagrams_executedOneAfterTheOther(TestedProvider provider) throws Exception {
        try (Rnic near = provider.open();
                Rnic far = provider.open();
                Scene scene = new Scene(provider, near, far).connectContext()) {
            for (Ordered first : Ordered.transmitted()) {
                for (Ordered second : Ordered.transmitted()) {
                    for (int i = 0; i < 2 * ROUNDS; i++) {
                        new OrderedScene(scene, first, second, i % 2 == 1).run();
                    }
                }
            }
        }
    }

    /** Local work, which reliable datagrams do not have, is refused in its turn. */
    @ParameterizedTest
    @EnumSource(names = "ROCE.*", mode = EnumSource.Mode.MATCH_ALL)
    void localWorkOfReliableDatagrams_failsAfterTheEarlierRequest_withoutEffect(TestedProvider provider)
            throws Exception {
        try (Rnic near = provider.open();
                Rnic far = provider.open();
                Scene scene = new Scene(provider, near, far).connectContext()) {
            for (Ordered first : Ordered.transmitted()) {
                for (Ordered second : List.of(Ordered.INVALIDATE, Ordered.BIND, Ordered.UNBIND)) {
                    new OrderedScene(scene, first, second, false).runRefused();
                }
            }
        }
    }
}
