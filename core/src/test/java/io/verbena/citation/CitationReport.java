package io.verbena.citation;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Sets the MUSTs of {@code docs/rfc} against the citations in the sources. */
public final class CitationReport {
    private static final List<String> MODULES = List.of("core", "sim", "tools");
    private static final int PLACES_SHOWN = 3;

    /** What became of a MUST, in the order of the report. */
    private enum Fate {
        UNCITED("Not cited at all"),
        MAIN_ONLY("Cited by main code only"),
        TESTED("Cited by a test"),
        ASIDE("Set aside");

        private final String heading;

        Fate(String heading) {
            this.heading = heading;
        }
    }

    private final Map<Integer, Rfc> rfcs;
    private final List<Citation> citations;
    private final List<String> faults;

    private CitationReport(Map<Integer, Rfc> rfcs, List<Citation> citations, List<String> faults) {
        this.rfcs = rfcs;
        this.citations = citations;
        this.faults = faults;
    }

    /** Reads the lists and the sources of the repository at {@code root}. */
    public static CitationReport of(Path root) throws IOException {
        List<String> faults = new ArrayList<>();
        TreeMap<Integer, Rfc> rfcs = Rfc.readAll(root.resolve("docs").resolve("rfc"), faults);
        CitationScanner scanner = new CitationScanner(rfcs);
        for (String module : MODULES) {
            scanner.scan(root, module);
        }
        faults.addAll(scanner.faults());
        return new CitationReport(rfcs, scanner.citations(), List.copyOf(faults));
    }

    /** What is wrong with the lists, and citations of sections or MUSTs that there are not; one sentence each. */
    public List<String> faults() {
        return faults;
    }

    /** One line an RFC. */
    public List<String> summary() {
        return rfcs.values().stream().map(this::summary).toList();
    }

    private String summary(Rfc rfc) {
        Map<Fate, List<Must>> fates = fates(rfc);
        return String.format(
                Locale.ROOT,
                "RFC %d: %d MUSTs of ours, %d cited by a test (%d of them by number), %d by main code only"
                        + " (%d by number), %d not at all; %d set aside",
                rfc.number(),
                rfc.musts().stream().filter(Must::ours).count(),
                of(fates, Fate.TESTED).size(),
                byNumber(rfc, of(fates, Fate.TESTED), true),
                of(fates, Fate.MAIN_ONLY).size(),
                byNumber(rfc, of(fates, Fate.MAIN_ONLY), false),
                of(fates, Fate.UNCITED).size(),
                of(fates, Fate.ASIDE).size());
    }

    private long byNumber(Rfc rfc, List<Must> musts, boolean byTest) {
        return musts.stream()
                .filter(must -> placesOf(rfc, must).stream()
                        .anyMatch(it -> it.byTest() == byTest && it.ordinal() != Citation.WHOLE_SECTION))
                .count();
    }

    /** The whole report. */
    public String markdown() {
        StringBuilder out = new StringBuilder("# Which MUSTs of the RFCs are cited\n\n");
        out.append("How to read and how to cite: docs/rfc/README.md. \"(section)\" marks a citation of a whole\n");
        out.append("section, which stands for each MUST in it and proves less than one by number.\n\n");
        summary().forEach(line -> out.append("- ").append(line).append('\n'));
        for (Rfc rfc : rfcs.values()) {
            out.append("\n## ").append(rfc.title()).append('\n');
            fates(rfc).forEach((fate, musts) -> {
                out.append("\n### ").append(fate.heading).append("\n\n");
                musts.forEach(must -> out.append(line(rfc, must)));
            });
        }
        return out.toString();
    }

    private String line(Rfc rfc, Must must) {
        List<String> places =
                placesOf(rfc, must).stream().map(Citation::place).distinct().toList();
        String shown = places.stream().limit(PLACES_SHOWN).collect(Collectors.joining(", "));
        String more = places.size() > PLACES_SHOWN ? " and " + (places.size() - PLACES_SHOWN) + " more" : "";
        return "- " + must.name() + " " + must.text() + (must.ours() ? "" : " (" + must.aside() + ")")
                + (places.isEmpty() ? "" : " — " + shown + more) + "\n";
    }

    /** Tests before main code, citations by number before those of whole sections. */
    private List<Citation> placesOf(Rfc rfc, Must must) {
        return citations.stream()
                .filter(citation -> citation.covers(rfc.number(), must))
                .sorted((a, b) -> rank(a) - rank(b))
                .toList();
    }

    private static int rank(Citation citation) {
        return (citation.byTest() ? 0 : 2) + (citation.ordinal() == Citation.WHOLE_SECTION ? 1 : 0);
    }

    private Map<Fate, List<Must>> fates(Rfc rfc) {
        return rfc.musts().stream()
                .collect(Collectors.groupingBy(
                        must -> fate(rfc, must), () -> new EnumMap<>(Fate.class), Collectors.toList()));
    }

    private Fate fate(Rfc rfc, Must must) {
        List<Citation> places = placesOf(rfc, must);
        if (!must.ours()) {
            return Fate.ASIDE;
        }
        if (places.isEmpty()) {
            return Fate.UNCITED;
        }
        return places.getFirst().byTest() ? Fate.TESTED : Fate.MAIN_ONLY;
    }

    private static List<Must> of(Map<Fate, List<Must>> fates, Fate fate) {
        return fates.getOrDefault(fate, List.of());
    }
}
