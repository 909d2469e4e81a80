package io.verbena.sockets.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class RingStateTest {

    @Test
    void diagram_isInTheDocumentation() throws Exception {
        Path file = Path.of("..", "docs", "generated", "stream-ring.mmd");
        if (Boolean.getBoolean("verbena.diagrams.write")) {
            Files.writeString(file, RingState.mermaid());
        }
        assertEquals(RingState.mermaid(), Files.readString(file), "run with -Dverbena.diagrams.write=true");
    }

    @Test
    void everyCell_hasAnAnswer() {
        for (RingState state : RingState.values()) {
            for (RingState.Event event : RingState.Event.values()) {
                assertNotNull(RingState.TABLE.answer(state, event));
            }
        }
    }
}
