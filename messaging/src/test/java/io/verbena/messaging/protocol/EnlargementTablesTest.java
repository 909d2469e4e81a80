package io.verbena.messaging.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class EnlargementTablesTest {

    @Test
    void diagramInTheDocs_isTheTables() throws IOException {
        Path file = Path.of("..", "docs", "generated", "buffer-enlargement.mmd");
        if (Boolean.getBoolean("verbena.diagrams.write")) {
            Files.writeString(file, EnlargementTables.mermaid());
        }
        assertEquals(EnlargementTables.mermaid(), Files.readString(file), "run with -Dverbena.diagrams.write=true");
        String page = Files.readString(Path.of("..", "docs", "messaging.md"));
        assertTrue(
                page.contains(EnlargementTables.mermaid().lines().skip(1).reduce("", (a, b) -> a + b + "\n")),
                "docs/messaging.md shows another diagram than docs/generated/buffer-enlargement.mmd");
    }

    @Test
    void cellWithoutAnAnswer_isABug() {
        assertThrows(
                IllegalStateException.class,
                () -> EnlargementTables.SENDER.next(SenderState.SETTLED, SenderEvent.HEAD_CHANGED));
    }

    @Test
    void everyStateButTheLast_isLeftWhenTheConnectionEnds() {
        for (SenderState state : SenderState.values()) {
            assertEquals(SenderState.ENDED, EnlargementTables.SENDER.next(state, SenderEvent.ENDED));
        }
        for (ReceiverState state : ReceiverState.values()) {
            assertEquals(ReceiverState.ENDED, EnlargementTables.RECEIVER.next(state, ReceiverEvent.ENDED));
        }
    }
}
