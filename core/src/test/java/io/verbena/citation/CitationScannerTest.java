package io.verbena.citation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class CitationScannerTest {
    private static final List<String> SECTIONS = List.of("5", "5.1", "5.2", "5.3", "7", "7.1", "A", "A.4");
    private static final List<String> LIST =
            List.of("# DDP", "5.3 1 | in order", "7.1 1 | a queue", "7.1 2 | a buffer");

    private final CitationScanner scanner = new CitationScanner(
            new TreeMap<>(Map.of(5041, Rfc.read(5041, SECTIONS, "rfc5041.txt", LIST, new ArrayList<>()))));

    private String found(String source) {
        scanner.scan("core/src/test/java/T.java", source);
        StringBuilder out = new StringBuilder();
        for (Citation it : scanner.citations()) {
            out.append(it.line()).append(':').append(it.section());
            out.append(it.ordinal() == Citation.WHOLE_SECTION ? " " : "[" + it.ordinal() + "] ");
        }
        return out.toString().strip();
    }

    private String fault(String source) {
        scanner.scan("T.java", source);
        return String.join("\n", scanner.faults());
    }

    @Test
    void scan_oneSection_citesIt() {
        assertEquals("1:7.1", found("// RFC 5041 section 7.1: the buffer is there"));
    }

    @Test
    void scan_ordinals_citeJustThose() {
        assertEquals("1:7.1[1] 1:7.1[2] 1:5.3[1]", found("// RFC 5041 sections 7.1 [1, 2] and 5.3 [1]."));
    }

    @Test
    void scan_listAndRange_citesEach() {
        assertEquals("1:5.1 1:5.2 1:5.3 1:7", found("/* RFC 5041 sections 5.1 to 5.3, and 7, 8 bytes */"));
    }

    @Test
    void scan_commentBrokenBetweenLines_isReadOn() {
        assertEquals("2:5.3", found("/**\n * see RFC 5041\n * section 5.3. */"));
        assertEquals("2:5.3 2:7.1[2]", found("int i;\n// RFC 5041 section\n    // 7.1\n    // [2]"));
    }

    @Test
    void scan_severalRfcs_passesOverThoseWithoutAList() {
        assertEquals("1:7.1", found("// RFC 9293 section 3.8, RFC 5041 section 7.1, RFC 5040, RFC 1 2"));
        assertEquals("", fault("// RFC 9293 section 99 and RFC 5041, 5040"));
    }

    @Test
    void scan_appendix_isASectionToo() {
        assertEquals("1:A.4 1:A.4", found("// RFC 5041 appendix A.4, RFC 5041 section A.4"));
    }

    @Test
    void scan_placeWithinASection_standsForNoMust() {
        assertEquals("", found("// RFC 5041 section 7.1, rule 2; RFC 5041 section 7.1 [MAY]"));
        assertEquals("1:7.1[1]", found("// RFC 5041 sections 5.3 [note] and 7.1 [1], Fig. 4"));
    }

    @Test
    void scan_sectionThatIsNotThere_isAFault() {
        assertEquals("T.java:2: cites RFC 5041, but there is no section 7.9", fault("\n// RFC 5041 section 7.9"));
    }

    @Test
    void scan_ordinalThatIsNotThere_isAFault() {
        assertEquals(
                "T.java:1: cites RFC 5041, but section 7.1 has 2 MUSTs and no [3]",
                fault("// RFC 5041 section 7.1 [3]"));
    }

    @Test
    void scan_otherForms_areFaults() {
        assertEquals("T.java:1: cites RFC 5041, but the word section is missing", fault("// RFC 5041 7.1"));
    }

    @Test
    void scan_twoSectionsInTheSingular_isAFault() {
        assertEquals(
                "T.java:1: cites RFC 5041, but two sections are named in the singular",
                fault("// RFC 5041 section 5.3 and 7.1"));
    }

    @Test
    void read_wrongLines_areFaults() {
        List<String> faults = new ArrayList<>();
        List<String> lines = List.of("# DDP", "7.1 2 | x", "7.2 1 | x", "5.3 1 | x | maybe", "5.2 1 | x", "5.3 2 x");
        Rfc.read(5041, SECTIONS, "f", lines, faults);
        assertEquals(
                List.of(
                        "docs/rfc/f:2: ordinal 2 where 1 is next",
                        "docs/rfc/f:3: sections.txt has no section 7.2",
                        "docs/rfc/f:4: the third column is 'application' or 'n/a: <reason>'",
                        "docs/rfc/f:5: section 5.2 comes too late",
                        "docs/rfc/f:6: not of the form <section> <ordinal> | <text> [| <aside>]"),
                faults);
    }
}
