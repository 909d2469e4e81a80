package io.verbena.outcome;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One program, every provider, one outcome. The outcome of a case is the same over all providers, except where the table in
 * docs/api-map.md has a row for it.
 */
class OneOutcomeTest {

    private static final Path API_MAP = Path.of("../docs/api-map.md");

    @ParameterizedTest
    @EnumSource
    void everyCase_hasItsOutcome(TestedProvider provider) throws Exception {
        List<String> wrong = provider.usual()
                ? Outcomes.differences(provider, provider.column(), API_MAP)
                : Outcomes.drivenDifferences(provider, provider.column(), API_MAP);
        assertTrue(wrong.isEmpty(), () -> provider + ": " + String.join("\n", wrong));
    }

    @ParameterizedTest
    @EnumSource(names = {"IWARP", "SHM", "ROCE"})
    void everyAssertion_ofTheConformanceTable_holds(TestedProvider provider) throws Exception {
        assertEquals("", String.join("\n", Conformance.differences(provider, provider.column(), API_MAP)));
    }

    @Test
    void conformance_eachDocumentedRowIsAnAssertionThatDiffers() throws IOException {
        assertEquals(List.of(), Conformance.wrongRows(API_MAP));
    }

    @Test
    void differences_eachRowHasACaseAndDiffers() throws IOException {
        DocumentedDifferences differences = DocumentedDifferences.read(API_MAP);
        Set<String> names = new HashSet<>();
        Outcomes.all().forEach(each -> assertTrue(names.add(each.name()), () -> "two cases are called " + each));
        for (String row : differences.rows()) {
            assertTrue(names.contains(row), () -> "docs/api-map.md has a row for no case: " + row);
            assertTrue(differences.differ(row), () -> "the outcomes in this row of docs/api-map.md are equal: " + row);
        }
        for (TestedProvider provider : TestedProvider.values()) {
            assertTrue(
                    differences.providers().contains(provider.column()),
                    () -> "docs/api-map.md has no column for the provider " + provider.column());
        }
        assertEquals(differences.rows().size(), Set.copyOf(differences.rows()).size(), "a case has two rows");
    }
}
