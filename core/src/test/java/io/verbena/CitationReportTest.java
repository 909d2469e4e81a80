package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.citation.CitationReport;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Writes {@code target/rfc-citations.md}; {@code docs/rfc/README.md} describes it. */
@Tag("sources")
class CitationReportTest {

    @Test
    void sources_citations_nameWhatThereIs() throws IOException, URISyntaxException {
        CitationReport report = CitationReport.of(repositoryRoot());
        Path file = reportFile();
        Files.writeString(file, report.markdown());
        report.summary().forEach(System.out::println);
        System.out.println("The report is " + file);
        assertEquals("", String.join("\n", report.faults()), "citations or lists that are wrong");
    }

    private static Path repositoryRoot() {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.exists(at.resolve("mvnw"))) {
                return at;
            }
        }
        throw new AssertionError("no directory with mvnw above " + Path.of("").toAbsolutePath());
    }

    /** Beside the compiled tests: in target, or in what a build of its own has in its place. */
    private static Path reportFile() throws URISyntaxException {
        return Path.of(CitationReportTest.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .resolveSibling("rfc-citations.md");
    }
}
