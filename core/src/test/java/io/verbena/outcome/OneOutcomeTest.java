package io.verbena.outcome;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One program, every provider, one outcome. The outcome of a case is the same over all providers, except where the table in
 * docs/api-map.md has a row for it.
 */
class OneOutcomeTest {

    private static final Path API_MAP = Path.of("../docs/api-map.md");

    /** Subjects whose outcome can depend on the thread that drives an RNIC, and on its sockets. */
    private static final List<List<Case>> DRIVEN = List.of(
            ReceiveCases.ALL,
            CompletionCases.ALL,
            AtomicCases.ALL,
            ConnectionCases.ALL,
            ClosingCases.ALL,
            RnicEndCases.ALL);

    private static final List<List<Case>> OTHERS = List.of(
            MemoryCases.ALL,
            KeyCases.ALL,
            WindowCases.ALL,
            QueuePairCases.ALL,
            PostingCases.ALL,
            SharedReceiveCases.ALL,
            DatagramCases.ALL);

    private static Stream<Case> all() {
        return Stream.concat(DRIVEN.stream(), OTHERS.stream()).flatMap(List::stream);
    }

    @ParameterizedTest
    @EnumSource
    void everyCase_hasItsOutcome(TestedProvider provider) throws Exception {
        DocumentedDifferences differences = DocumentedDifferences.read();
        List<Case> cases = (provider.usual() ? all() : DRIVEN.stream().flatMap(List::stream)).toList();
        List<String> wrong = new ArrayList<>();
        try (Rnic near = provider.open();
                Rnic far = provider.open()) {
            for (Case each : cases) {
                String expected = differences.expected(each, provider.provider());
                String outcome = outcome(each, new Scene(provider, near, far));
                if (!outcome.equals(expected)) {
                    wrong.add(each + ": expected " + expected + ", but was " + outcome);
                }
            }
        }
        assertTrue(wrong.isEmpty(), () -> provider + ": " + String.join("\n", wrong));
    }

    @ParameterizedTest
    @EnumSource(names = {"IWARP", "SHM", "ROCE"})
    void everyAssertion_ofTheConformanceTable_holds(TestedProvider provider) throws Exception {
        assertEquals("", String.join("\n", Conformance.differences(provider, provider.provider(), API_MAP)));
    }

    @Test
    void conformance_eachDocumentedRowIsAnAssertionThatDiffers() throws IOException {
        assertEquals(List.of(), Conformance.wrongRows(API_MAP));
    }

    private static String outcome(Case which, Scene scene) {
        try (scene) {
            return which.call().outcome(scene);
        } catch (Exception e) {
            return "threw " + e;
        }
    }

    @Test
    void differences_eachRowHasACaseAndDiffers() throws IOException {
        DocumentedDifferences differences = DocumentedDifferences.read();
        Set<String> names = new HashSet<>();
        all().forEach(each -> assertTrue(names.add(each.name()), () -> "two cases are called " + each));
        for (String row : differences.rows()) {
            assertTrue(names.contains(row), () -> "docs/api-map.md has a row for no case: " + row);
            assertTrue(differences.differ(row), () -> "the outcomes in this row of docs/api-map.md are equal: " + row);
        }
        for (TestedProvider provider : TestedProvider.values()) {
            assertTrue(
                    differences.providers().contains(provider.provider()),
                    () -> "docs/api-map.md has no column for the provider " + provider.provider());
        }
        assertEquals(differences.rows().size(), Set.copyOf(differences.rows()).size(), "a case has two rows");
    }
}
