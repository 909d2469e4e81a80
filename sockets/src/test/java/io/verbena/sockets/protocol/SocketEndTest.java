package io.verbena.sockets.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.verbena.sockets.protocol.SocketEndModel.Mutation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every socket that is closed is torn down and released, once, whatever happens meanwhile and in which order. */
class SocketEndTest {

    @Test
    void diagram_isInTheDocumentation() throws Exception {
        Path file = Path.of("..", "docs", "generated", "stream-end.mmd");
        if (Boolean.getBoolean("verbena.diagrams.write")) {
            Files.writeString(file, SocketEnd.mermaid());
        }
        assertEquals(SocketEnd.mermaid(), Files.readString(file), "run with -Dverbena.diagrams.write=true");
    }

    @Test
    void everyCell_hasAnAnswer() {
        for (SocketEnd state : SocketEnd.values()) {
            for (SocketEnd.Event event : SocketEnd.Event.values()) {
                assertNotNull(SocketEnd.TABLE.answer(state, event));
            }
        }
    }

    @Test
    void everyOrder_tornDownAndReleasedOnce() {
        SocketEndModel model = new SocketEndModel(Optional.empty());
        assertEquals("", model.fault());
        assertEquals(EnumSet.allOf(SocketEnd.class), model.reached());
    }

    @ParameterizedTest
    @EnumSource
    void oneRuleBroken_isFound(Mutation mutation) {
        assertNotEquals("", new SocketEndModel(Optional.of(mutation)).fault());
    }
}
