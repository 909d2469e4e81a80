package io.verbena.rnic.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.TransitionTable.Answer;
import io.verbena.verbs.ConnectionState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The table of phases and events, and its copy in docs/connections.md. */
class ConnectionTableTest {

    private static Set<ConnectionPhase> reachedFrom(ConnectionPhase first, Set<ConnectionEvent> without) {
        Set<ConnectionPhase> reached = EnumSet.of(first);
        Deque<ConnectionPhase> open = new ArrayDeque<>(reached);
        while (!open.isEmpty()) {
            ConnectionPhase from = open.removeFirst();
            for (ConnectionEvent event : ConnectionEvent.values()) {
                if (!without.contains(event)
                        && ConnectionTable.TABLE.answer(from, event) instanceof Answer.Go<ConnectionPhase>(var to)
                        && reached.add(to)) {
                    open.add(to);
                }
            }
        }
        return reached;
    }

    @Test
    void everyPhase_canBeReached() {
        assertEquals(
                EnumSet.allOf(ConnectionPhase.class),
                reachedFrom(ConnectionPhase.IDLE, EnumSet.noneOf(ConnectionEvent.class)));
    }

    @Test
    void everyPhaseWithAStream_leadsToItsEnd() {
        for (ConnectionPhase phase : ConnectionPhase.values()) {
            assertTrue(
                    reachedFrom(phase, EnumSet.of(ConnectionEvent.TO_IDLE)).stream()
                            .anyMatch(ConnectionPhase::over),
                    phase::name);
        }
    }

    @Test
    void overPhases_noStreamEvent_leadsBackToAStream() {
        Set<ConnectionEvent> wishes =
                EnumSet.of(ConnectionEvent.CONNECT, ConnectionEvent.TAKE_OVER, ConnectionEvent.TO_IDLE);
        for (ConnectionPhase phase : ConnectionPhase.values()) {
            if (phase.over()) {
                assertTrue(reachedFrom(phase, wishes).stream().allMatch(ConnectionPhase::over), phase::name);
            }
        }
    }

    @Test
    void firstCause_wins() {
        for (ConnectionPhase phase : EnumSet.of(ConnectionPhase.TERMINATING, ConnectionPhase.BREAKING)) {
            for (ConnectionEvent late : ConnectionEvent.values()) {
                Answer<ConnectionPhase> answer = ConnectionTable.TABLE.answer(phase, late);
                if (answer instanceof Answer.Go<ConnectionPhase>(var to)) {
                    assertEquals(ConnectionEvent.STREAM_CLOSED, late);
                    assertEquals(ConnectionPhase.FAILED, to);
                }
            }
        }
    }

    @Test
    void disconnect_isAcceptedInEveryPhase() {
        for (ConnectionPhase phase : ConnectionPhase.values()) {
            Answer<ConnectionPhase> answer = ConnectionTable.TABLE.answer(phase, ConnectionEvent.DISCONNECT);
            assertTrue(answer instanceof Answer.Go || answer instanceof Answer.Ignore, phase::name);
        }
        assertInstanceOf(
                Answer.Misuse.class, ConnectionTable.TABLE.answer(ConnectionPhase.OPEN, ConnectionEvent.CONNECT));
    }

    @Test
    void phases_haveConsistentStates() {
        for (ConnectionPhase phase : ConnectionPhase.values()) {
            if (phase != ConnectionPhase.IDLE) {
                assertEquals(phase.over(), phase.connection().ended(), phase::name);
            }
            if (phase.queuePair().failed()) {
                assertTrue(phase.flushes(), phase::name);
            }
        }
        assertEquals(ConnectionState.CONNECTING, ConnectionPhase.IDLE.connection());
    }

    @Test
    void documents_showThisTable() throws IOException {
        Path diagram = Path.of("../docs/generated/rnic-states.mmd");
        Path chapter = Path.of("../docs/connections.md");
        if (Boolean.getBoolean("verbena.diagrams.write")) {
            Files.writeString(diagram, StateDiagram.mermaid());
            Files.writeString(chapter, StateDiagram.refreshed(Files.readString(chapter)));
        }
        assertEquals(StateDiagram.mermaid(), Files.readString(diagram), "run with -Dverbena.diagrams.write=true");
        String text = Files.readString(chapter);
        assertEquals(StateDiagram.refreshed(text), text, "run with -Dverbena.diagrams.write=true");
    }
}
