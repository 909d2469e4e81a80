package io.verbena.sockets.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class StreamStateTest {

    @Test
    void diagram_isInTheDocumentation() throws Exception {
        Path file = Path.of("..", "docs", "generated", "stream-socket.mmd");
        if (Boolean.getBoolean("verbena.diagrams.write")) {
            Files.writeString(file, StreamState.mermaid());
        }
        assertEquals(StreamState.mermaid(), Files.readString(file), "run with -Dverbena.diagrams.write=true");
    }

    @Test
    void everyCell_hasAnAnswer() {
        for (StreamState state : StreamState.values()) {
            for (StreamState.Event event : StreamState.Event.values()) {
                assertNotNull(StreamState.TABLE.answer(state, event));
            }
        }
    }
}
