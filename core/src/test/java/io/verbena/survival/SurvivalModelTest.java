package io.verbena.survival;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Rounds;
import io.verbena.survival.SurvivalModel.Addresses;
import io.verbena.survival.SurvivalModel.Budget;
import io.verbena.survival.SurvivalModel.Move;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every order of the steps of two sides, with failures after each of them, keeps the invariants of docs/survival.md.
 */
class SurvivalModelTest {

    private static final RequestKind[] KINDS = RequestKind.values();

    private static final Addresses TWO = new Addresses(2, false);

    /** Moves until everything is complete, whatever happens. */
    private static final int LONGEST = 200;

    /** A search of all states that can be reached. */
    private static final class Search {
        private final List<List<RequestKind>> requests;
        private final boolean fenced;
        private final Addresses addresses;
        private final Budget budget;
        private final Flaw flaw;
        private final Set<Long> seen = new HashSet<>();

        Search(List<List<RequestKind>> requests, boolean fenced, Addresses addresses, Budget budget, Flaw flaw) {
            this.requests = requests;
            this.fenced = fenced;
            this.addresses = addresses;
            this.budget = budget;
            this.flaw = flaw;
        }

        private SurvivalModel first() {
            return new SurvivalModel(requests, fenced, addresses, budget, flaw);
        }

        /** The moves that violate an invariant, with the invariant; empty if none does. */
        String fault() {
            List<Move> way = new ArrayList<>();
            try {
                from(first(), way);
                return "";
            } catch (SurvivalWitness.Violated | IllegalStateException e) {
                return requests + ": " + e.getMessage() + " after " + way;
            }
        }

        /** Visits the states after {@code model}, which it uses up; {@code way} leads to it. */
        private void from(SurvivalModel model, List<Move> way) {
            if (!seen.add(model.digest())) {
                return;
            }
            if (way.size() > LONGEST) {
                throw new SurvivalWitness.Violated("no end");
            }
            List<Move> moves = model.moves();
            if (moves.isEmpty()) {
                model.end();
            }
            for (int i = 0; i < moves.size(); i++) {
                // The last one needs the model no more.
                SurvivalModel next = i == moves.size() - 1 ? model : again(way);
                way.add(moves.get(i));
                next.apply(moves.get(i));
                from(next, way);
                way.removeLast();
            }
        }

        private SurvivalModel again(List<Move> way) {
            SurvivalModel model = first();
            way.forEach(model::apply);
            return model;
        }
    }

    private static List<List<RequestKind>> sequences(int length) {
        List<List<RequestKind>> all = List.of(List.of());
        for (int i = 0; i < length; i++) {
            List<List<RequestKind>> longer = new ArrayList<>();
            for (List<RequestKind> each : all) {
                for (RequestKind kind : KINDS) {
                    List<RequestKind> more = new ArrayList<>(each);
                    more.add(kind);
                    longer.add(more);
                }
            }
            all = longer;
        }
        return all;
    }

    private static long explore(List<RequestKind> one, List<RequestKind> other, boolean fenced, Budget budget) {
        Search search = new Search(List.of(one, other), fenced, TWO, budget, Flaw.NONE);
        assertEquals("", search.fault());
        return search.seen.size();
    }

    @ParameterizedTest
    @EnumSource
    void oneRequest_twoFailuresAndAWrongTimeOutOrASecondResume_keepsTheInvariants(RequestKind kind) {
        List<RequestKind> one = List.of(kind);
        assertTrue(explore(one, List.of(), false, new Budget(2, 0, 0)) > 1_000);
        assertTrue(explore(one, List.of(), false, new Budget(1, 1, 0)) > 1_000);
        assertTrue(explore(one, List.of(), false, new Budget(1, 0, 1)) > 1_000);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void threeRequests_aFailureAfterEachStep_keepsTheInvariants(boolean fenced) {
        long states = 0;
        for (List<RequestKind> each : sequences(3)) {
            states += explore(each, List.of(), fenced, new Budget(1, 0, 0));
        }
        assertTrue(states > 80_000, states + " states");
    }

    @Test
    void requestsOfOneSide_twoFailures_keepTheInvariants() {
        List<List<RequestKind>> all = Rounds.of(0, 1) == 1
                ? sequences(3)
                : List.of(List.of(RequestKind.READ, RequestKind.ATOMIC), List.of(RequestKind.SEND, RequestKind.READ));
        for (List<RequestKind> each : all) {
            explore(each, List.of(), false, new Budget(2, 0, 0));
        }
    }

    @Test
    void requestsOfBothSides_aFailureAfterEachStep_keepsTheInvariants() {
        for (List<RequestKind> one : sequences(Rounds.of(2, 3))) {
            for (List<RequestKind> other : sequences(Rounds.of(1, 2))) {
                explore(one, other, false, new Budget(1, 0, 0));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void oneRequest_onlyOneAddressWorks_completes(RequestKind kind) {
        Search search = new Search(
                List.of(List.of(kind), List.of()), false, new Addresses(2, true), new Budget(1, 0, 0), Flaw.NONE);
        assertEquals("", search.fault());
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aRuleNotKept_isFound(Flaw flaw) {
        String found = "";
        for (List<RequestKind> each : sequences(2)) {
            if (found.isEmpty()) {
                found = new Search(List.of(each, List.of()), false, TWO, new Budget(2, 0, 0), flaw).fault();
            }
        }
        assertTrue(found.contains(flaw.violates), found);
    }
}
