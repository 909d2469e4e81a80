package io.verbena.sockets.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.sockets.protocol.SocketStart.Event;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The beginning of a stream socket. */
class SocketStartTest {

    @Test
    void diagram_isInTheDocumentation() throws Exception {
        Path file = Path.of("..", "docs", "generated", "stream-start.mmd");
        if (Boolean.getBoolean("verbena.diagrams.write")) {
            Files.writeString(file, SocketStart.mermaid());
        }
        assertEquals(SocketStart.mermaid(), Files.readString(file), "run with -Dverbena.diagrams.write=true");
    }

    @Test
    void everyCell_hasAnAnswer() {
        for (SocketStart state : SocketStart.values()) {
            for (Event event : Event.values()) {
                assertNotNull(SocketStart.TABLE.answer(state, event));
            }
        }
    }

    @Test
    void everyState_isReached_andOneThatIsEstablishedStaysSo() {
        Set<SocketStart> reached = EnumSet.of(SocketStart.ASKING);
        ArrayDeque<SocketStart> todo = new ArrayDeque<>(reached);
        while (!todo.isEmpty()) {
            SocketStart from = todo.removeFirst();
            for (Event event : Event.values()) {
                if (SocketStart.TABLE.moves(from, event)) {
                    SocketStart next = from.next(event);
                    assertTrue(next.established() || !from.established(), () -> from + " " + event);
                    if (reached.add(next)) {
                        todo.add(next);
                    }
                }
            }
        }
        assertEquals(EnumSet.allOf(SocketStart.class), reached);
    }

    @Test
    void held_sendsNothingUntilItIsWanted() {
        SocketStart held = SocketStart.ASKING.next(Event.HOLD).next(Event.ESTABLISHED);
        assertFalse(held.sends());
        assertTrue(held.established());
        assertTrue(held.next(Event.RESUME).sends());
        assertFalse(SocketStart.ASKING.next(Event.HOLD).next(Event.RESUME).sends());
    }
}
