package io.verbena.ib.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The state diagram in the documentation equals the table; {@code -Dverbena.update=true} regenerates it. */
class CmDiagramTest {

    private static final Path DOCUMENT = Path.of("../docs/infiniband.md");
    private static final String BEGIN = "<!-- generated: cm -->\n";
    private static final String END = "<!-- end: cm -->";

    @Test
    void document_containsTheDiagramOfTheTable() throws IOException {
        String document = Files.readString(DOCUMENT);
        int from = document.indexOf(BEGIN) + BEGIN.length();
        String refreshed = document.substring(0, from)
                + "```mermaid\n" + CmDiagram.mermaid() + "```\n"
                + document.substring(document.indexOf(END));
        if (Boolean.getBoolean("verbena.update")) {
            Files.writeString(DOCUMENT, refreshed);
        }
        assertEquals(refreshed, Files.readString(DOCUMENT));
    }
}
