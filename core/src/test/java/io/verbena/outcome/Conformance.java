package io.verbena.outcome;

import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The conformance table: assertions against the public API that hold over every provider, software or adapter. Their names are those of
 * the tests of rdma-core's pyverbs about the same subject; what pyverbs has no test for has a name of ours. The exceptions are
 * the rows of a table in docs/api-map.md. It needs no test framework, so that it runs in a virtual machine too.
 */
public final class Conformance {

    private Conformance() {}

    static List<Case> all() {
        return Stream.of(MemoryAssertions.ALL, QueuePairAssertions.ALL, WorkAssertions.ALL, QueueAssertions.ALL)
                .flatMap(List::stream)
                .toList();
    }

    /** Number of assertions. */
    public static int count() {
        return all().size();
    }

    /**
     * Runs the table over one provider, and describes each outcome that differs from the expected one.
     *
     * @param column name of its column in the documented table
     * @param document docs/api-map.md
     */
    public static List<String> differences(Ground ground, String column, Path document) throws IOException {
        return differences(ground, column, document, _ -> true);
    }

    /** The same for the assertions with some names. */
    public static List<String> differences(Ground ground, String column, Path document, Predicate<String> names)
            throws IOException {
        List<String> differences = new ArrayList<>();
        run(ground, column, document, names, differences::add);
        return differences;
    }

    /** The same; each difference is passed on when it is found. Returns the number of assertions that were tried. */
    static int run(Ground ground, String column, Path document, Predicate<String> names, Consumer<String> differences)
            throws IOException {
        DocumentedDifferences documented = DocumentedDifferences.ofConformance(document);
        if (!documented.providers().contains(column)) {
            differences.accept("the table of " + document + " has no column " + column);
        }
        try (Rnic near = ground.open();
                Rnic far = ground.open()) {
            List<Case> tried =
                    all().stream().filter(each -> names.test(each.name())).toList();
            for (Case each : tried) {
                String expected = documented.expected(each, column);
                String outcome = outcome(each, ground, near, far);
                if (!outcome.equals(expected)) {
                    differences.accept(each + ": expected " + expected + ", but was " + outcome);
                }
            }
            return tried.size();
        }
    }

    private static String outcome(Case which, Ground ground, Rnic near, Rnic far) {
        try (Scene scene = new Scene(ground, near, far)) {
            return which.call().outcome(scene);
        } catch (Exception e) {
            return Scene.answer(() -> {
                throw e;
            });
        }
    }

    /** Rows of the document that name no assertion, state what the assertion states, or are repeated. */
    static List<String> wrongRows(Path document) throws IOException {
        DocumentedDifferences documented = DocumentedDifferences.ofConformance(document);
        List<String> wrong = new ArrayList<>();
        Set<String> names = new HashSet<>();
        all().stream().filter(each -> !names.add(each.name())).forEach(each -> wrong.add("twice: " + each));
        Set<String> rows = new HashSet<>();
        for (String row : documented.rows()) {
            if (!names.contains(row)) {
                wrong.add("no assertion: " + row);
            }
            if (!rows.add(row)) {
                wrong.add("two rows: " + row);
            }
            boolean differs = all().stream()
                    .filter(each -> each.name().equals(row))
                    .anyMatch(each -> documented.providers().stream()
                            .anyMatch(
                                    column -> !documented.expected(each, column).equals(each.expected())));
            if (!differs) {
                wrong.add("nothing differs: " + row);
            }
        }
        return wrong;
    }
}
