package io.verbena.outcome;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The table "Differences between providers" of docs/api-map.md: a row for each case whose outcomes differ. */
final class DocumentedDifferences {

    private static final String HEADING = "## 10. Differences between providers";
    private static final String CONFORMANCE = "## 11. Conformance";

    private final List<String> providers;
    private final List<String> rows = new ArrayList<>();
    private final Map<String, Map<String, String>> outcomes = new HashMap<>();

    private DocumentedDifferences(List<String> providers) {
        this.providers = List.copyOf(providers);
    }

    static DocumentedDifferences read(Path document) throws IOException {
        return read(document, HEADING);
    }

    /** The table of the assertions of {@link Conformance}. An empty cell is the outcome that the assertion states. */
    static DocumentedDifferences ofConformance(Path document) throws IOException {
        return read(document, CONFORMANCE);
    }

    private static DocumentedDifferences read(Path document, String heading) throws IOException {
        List<String> lines = Files.readAllLines(document);
        List<List<String>> table = lines.stream()
                .dropWhile(line -> !line.equals(heading))
                .skip(1)
                .takeWhile(line -> !line.startsWith("## "))
                .filter(line -> line.startsWith("|") && !line.startsWith("|-"))
                .map(DocumentedDifferences::cells)
                .toList();
        List<String> columns = table.getFirst();
        DocumentedDifferences read = new DocumentedDifferences(columns.subList(1, columns.size() - 1));
        table.subList(1, table.size()).forEach(read::add);
        return read;
    }

    private static List<String> cells(String line) {
        return Stream.of(line.substring(1, line.length() - 1).split("\\|"))
                .map(String::trim)
                .toList();
    }

    private void add(List<String> cells) {
        Map<String, String> byProvider = new HashMap<>();
        for (int i = 0; i < providers.size(); i++) {
            byProvider.put(providers.get(i), cells.get(i + 1));
        }
        rows.add(cells.getFirst());
        outcomes.put(cells.getFirst(), byProvider);
    }

    /** The names of the cases that have a row. */
    List<String> rows() {
        return rows;
    }

    /** The providers that have a column. */
    List<String> providers() {
        return providers;
    }

    /** Whether the outcomes of a row differ. */
    boolean differ(String row) {
        return new HashSet<>(outcomes.getOrDefault(row, Map.of()).values()).size() > 1;
    }

    /** The outcome of a case over a provider. */
    String expected(Case which, String provider) {
        String documented = outcomes.getOrDefault(which.name(), Map.of()).getOrDefault(provider, "");
        return documented.isEmpty() ? which.expected() : documented;
    }
}
