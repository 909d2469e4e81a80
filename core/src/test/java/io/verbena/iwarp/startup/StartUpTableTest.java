package io.verbena.iwarp.startup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.TransitionTable;
import io.verbena.base.TransitionTable.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StartUpTableTest {
    private static final Path DIAGRAM = Path.of("docs", "generated", "mpa-startup.mmd");

    @Test
    void diagram_inTheDocs_isTheGeneratedOne() throws IOException {
        // Run with -Dverbena.diagrams.write=true to write it anew.
        Path file = projectRoot().resolve(DIAGRAM);
        if (Boolean.getBoolean("verbena.diagrams.write")) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, StartUpDiagram.mermaid());
        }
        assertTrue(Files.exists(file), () -> file + " is missing: run with -Dverbena.diagrams.write=true");
        assertEquals(StartUpDiagram.mermaid(), Files.readString(file), "run with -Dverbena.diagrams.write=true");
    }

    private static Path projectRoot() {
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.exists(at.resolve("mvnw"))) {
                return at;
            }
        }
        throw new AssertionError("no directory with mvnw above " + Path.of("").toAbsolutePath());
    }

    @Test
    void initiatorTable_everyState_canBeReachedAndLeftAsItShould() {
        assertEquals(
                EnumSet.allOf(InitiatorTable.State.class),
                reached(InitiatorTable.TABLE, InitiatorTable.State.IDLE, InitiatorTable.Event.class));
        assertFinal(InitiatorTable.TABLE, InitiatorTable.State.FAILED, InitiatorTable.Event.class);
        assertFinal(InitiatorTable.TABLE, InitiatorTable.State.REJECTED, InitiatorTable.Event.class);
    }

    @Test
    void responderTable_everyState_canBeReachedAndLeftAsItShould() {
        assertEquals(
                EnumSet.allOf(ResponderTable.State.class),
                reached(ResponderTable.TABLE, ResponderTable.State.IDLE, ResponderTable.Event.class));
        assertFinal(ResponderTable.TABLE, ResponderTable.State.FAILED, ResponderTable.Event.class);
        assertFinal(ResponderTable.TABLE, ResponderTable.State.REJECTED, ResponderTable.Event.class);
    }

    @Test
    void everyWaitingState_hasAnEnd() {
        // RFC 5044 section 7.1.2, rule 10: every wait of the start-up ends.
        for (InitiatorTable.State state :
                EnumSet.of(InitiatorTable.State.SENDING_REQUEST, InitiatorTable.State.AWAITING_REPLY)) {
            assertInstanceOf(Answer.Go.class, InitiatorTable.TABLE.answer(state, InitiatorTable.Event.DEADLINE_PASSED));
        }
        for (ResponderTable.State state :
                EnumSet.range(ResponderTable.State.AWAITING_REQUEST, ResponderTable.State.REJECTING)) {
            assertInstanceOf(Answer.Go.class, ResponderTable.TABLE.answer(state, ResponderTable.Event.DEADLINE_PASSED));
        }
    }

    @Test
    void incompleteTables_areRefused() {
        var builder = TransitionTable.of(InitiatorTable.State.class, InitiatorTable.Event.class);
        assertThrows(IllegalArgumentException.class, () -> builder.row(InitiatorTable.State.IDLE));
        assertThrows(IllegalArgumentException.class, builder::build);
    }

    private static <S extends Enum<S>, E extends Enum<E>> Set<S> reached(
            TransitionTable<S, E> table, S first, Class<E> events) {
        Set<S> seen = EnumSet.of(first);
        Deque<S> open = new ArrayDeque<>(seen);
        while (!open.isEmpty()) {
            S from = open.remove();
            for (E event : events.getEnumConstants()) {
                if (table.answer(from, event) instanceof Answer.Go<S>(S to) && seen.add(to)) {
                    open.add(to);
                }
            }
        }
        return seen;
    }

    private static <S extends Enum<S>, E extends Enum<E>> void assertFinal(
            TransitionTable<S, E> table, S state, Class<E> events) {
        for (E event : events.getEnumConstants()) {
            assertFalse(table.answer(state, event) instanceof Answer.Go<S>, () -> state + " on " + event);
        }
    }
}
