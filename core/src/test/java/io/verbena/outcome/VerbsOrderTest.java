package io.verbena.outcome;

import io.verbena.fixture.Rounds;
import io.verbena.verbs.Rnic;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The order of work through the verbs, on every provider: each pair of operations, with and without a fence. Completions are in the order of
 * posting, local work is not visible before the work that it waits for is complete, and the words of both sides are those of a permitted
 * order ({@link io.verbena.fixture.OrderedWork}). The engines' tests RcOrderTest and StreamOrderTest control when a peer answers.
 */
class VerbsOrderTest {

    private static final int ROUNDS = Integer.getInteger("verbena.orders", 10);

    /** The forms of a provider share its engine and differ in who drives it: chance needs no more rounds for each of them. */
    private static final int ROUNDS_OF_OTHER_FORMS = Integer.getInteger("verbena.orders", Rounds.of(2, 10));

    @ParameterizedTest
    @EnumSource
    void eachPair_effectsAndCompletions_areInAPermittedOrder(TestedProvider provider) throws Exception {
        try (Rnic near = provider.open();
                Rnic far = provider.open();
                Scene scene = new Scene(provider, near, far)) {
            OrderedRoute route = OrderedRoute.connection(scene);
            for (Ordered first : Ordered.values()) {
                for (Ordered second : Ordered.values()) {
                    run(provider, scene, route, first, second);
                }
            }
        }
    }

    /** Reliable datagrams have no work on keys. */
    @ParameterizedTest
    @EnumSource(names = {"ROCE", "ROCE_INLINE", "ROCE_JDK"})
    void eachPairOfReliableDatagrams_isExecutedOneAfterTheOther(TestedProvider provider) throws Exception {
        try (Rnic near = provider.open();
                Rnic far = provider.open();
                Scene scene = new Scene(provider, near, far)) {
            OrderedRoute route = OrderedRoute.context(scene);
            for (Ordered first : Ordered.values()) {
                for (Ordered second : Ordered.values()) {
                    if (!first.work().local() && !second.work().local()) {
                        run(provider, scene, route, first, second);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ROCE", "ROCE_INLINE", "ROCE_JDK"})
    void workOnKeysAfterAReliableDatagram_isRefusedInItsTurn(TestedProvider provider) throws Exception {
        try (Rnic near = provider.open();
                Rnic far = provider.open();
                Scene scene = new Scene(provider, near, far)) {
            OrderedRoute route = OrderedRoute.context(scene);
            for (Ordered first : Ordered.values()) {
                for (Ordered second : Ordered.values()) {
                    if (!first.work().local() && second.work().local()) {
                        new OrderedScene(scene, route, first, second, false).runRefused();
                    }
                }
            }
        }
    }

    private static void run(TestedProvider provider, Scene scene, OrderedRoute route, Ordered first, Ordered second) {
        int rounds = provider.usual() ? ROUNDS : ROUNDS_OF_OTHER_FORMS;
        for (int i = 0; i < rounds; i++) {
            new OrderedScene(scene, route, first, second, false).run();
            new OrderedScene(scene, route, first, second, true).run();
        }
    }
}
