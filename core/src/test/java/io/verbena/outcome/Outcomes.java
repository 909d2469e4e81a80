package io.verbena.outcome;

import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The table of cases, each of which is one program with one outcome on every provider. The exceptions are the rows of docs/api-map.md. */
public final class Outcomes {

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

    private Outcomes() {}

    static Stream<Case> all() {
        return Stream.concat(DRIVEN.stream(), OTHERS.stream()).flatMap(List::stream);
    }

    /**
     * Runs all cases over one provider, and describes each outcome that differs from the expected one.
     *
     * @param column name of its column in the documented table
     * @param document docs/api-map.md
     */
    public static List<String> differences(Ground ground, String column, Path document) throws IOException {
        return differences(ground, column, document, all().toList());
    }

    /** The same for the subjects whose outcome can depend on the thread that drives an RNIC. */
    static List<String> drivenDifferences(Ground ground, String column, Path document) throws IOException {
        return differences(
                ground, column, document, DRIVEN.stream().flatMap(List::stream).toList());
    }

    private static List<String> differences(Ground ground, String column, Path document, List<Case> cases)
            throws IOException {
        DocumentedDifferences documented = DocumentedDifferences.read(document);
        List<String> wrong = new ArrayList<>();
        try (Rnic near = ground.open();
                Rnic far = ground.open()) {
            for (Case each : cases) {
                String expected = documented.expected(each, column);
                String outcome = outcome(each, new Scene(ground, near, far));
                if (!outcome.equals(expected)) {
                    wrong.add(each + ": expected " + expected + ", but was " + outcome);
                }
            }
        }
        return wrong;
    }

    private static String outcome(Case which, Scene scene) {
        try (scene) {
            return which.call().outcome(scene);
        } catch (Exception e) {
            return "threw " + e;
        }
    }
}
