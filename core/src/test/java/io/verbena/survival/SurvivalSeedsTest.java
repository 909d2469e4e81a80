package io.verbena.survival;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import io.verbena.survival.SurvivalModel.Addresses;
import io.verbena.survival.SurvivalModel.Budget;
import io.verbena.survival.SurvivalModel.Move;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Long courses of the model in random order: hundreds of requests of both sides and dozens of failovers. */
@Tag(Seeds.TAG)
class SurvivalSeedsTest {

    private static final RequestKind[] KINDS = RequestKind.values();
    private static final int REQUESTS = 100;
    private static final Budget BUDGET = new Budget(30, 10, 10);

    private long failovers;

    @Test
    void manyFailures_everyRequestIsExecutedOnce() {
        Seeds.each(300, this::run);
        assertTrue(!Seeds.recorded(300) || failovers > 9_000, failovers + " failovers");
    }

    private void run(long seed) {
        Random random = new Random(seed);
        List<List<RequestKind>> requests = List.of(requests(random), requests(random));
        SurvivalModel model = new SurvivalModel(requests, random.nextBoolean(), addresses(random), BUDGET, Flaw.NONE);
        for (List<Move> moves = model.moves(); !moves.isEmpty(); moves = model.moves()) {
            List<Move> chosen = random.nextInt(8) == 0 ? moves : certain(moves);
            model.apply(chosen.get(random.nextInt(chosen.size())));
        }
        model.end();
        failovers += model.epoch() - 1;
    }

    private static Addresses addresses(Random random) {
        return new Addresses(1 + random.nextInt(3), random.nextBoolean());
    }

    private static List<RequestKind> requests(Random random) {
        List<RequestKind> requests = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            requests.add(KINDS[random.nextInt(KINDS.length)]);
        }
        return requests;
    }

    /** What needs no misfortune, if there is something. */
    private static List<Move> certain(List<Move> moves) {
        List<Move> certain = moves.stream().filter(move -> !move.misfortune()).toList();
        return certain.isEmpty() ? moves : certain;
    }
}
