package io.verbena.storage.subsystem;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ControllerDiagramTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "storage.md");

    @Test
    void diagramInTheDocument_isOfThisTable() throws IOException {
        String diagram = "```mermaid\nstateDiagram-v2\n" + Controller.TABLE.mermaid("") + "```\n";
        assertTrue(Files.readString(DOCUMENT).contains(diagram), "copy this into docs/storage.md:\n" + diagram);
    }

    @Test
    void diagramOfACommand_isOfThisTable() throws IOException {
        String diagram = "```mermaid\nstateDiagram-v2\n" + CommandState.TABLE.mermaid("") + "```\n";
        assertTrue(Files.readString(DOCUMENT).contains(diagram), "copy this into docs/storage.md:\n" + diagram);
    }
}
