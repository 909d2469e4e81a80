package io.verbena.tcp.link;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.base.TransitionTable.Answer;
import io.verbena.tcp.link.NeighborState.Event;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The table of {@link NeighborState}, against RFC 4861 appendix C with the state UNREACHABLE of RFC 7048. */
class NeighborStateTest {

    /** A row for each state; the columns are the events. A dot changes nothing, a dash cannot occur. */
    private static final String TABLE = """
                        EXPIRED DELAYED ASKED       DOUBTED SILENT      ANSWERED  STATED DISPUTED
            INCOMPLETE  -       -       INCOMPLETE  .       -           REACHABLE STALE  -
            REACHABLE   STALE   -       -           PROBE   -           REACHABLE STALE  STALE
            STALE       -       DELAY   PROBE       PROBE   -           REACHABLE STALE  .
            DELAY       -       -       PROBE       PROBE   -           REACHABLE STALE  .
            PROBE       -       -       PROBE       PROBE   UNREACHABLE REACHABLE STALE  .
            UNREACHABLE -       -       UNREACHABLE .       .           REACHABLE STALE  .
            """;

    private static String cell(NeighborState state, Event event) {
        return switch (NeighborState.table().answer(state, event)) {
            case Answer.Go<NeighborState>(NeighborState next) -> next.name();
            case Answer.Ignore<NeighborState> _ -> ".";
            case Answer.Misuse<NeighborState> _, Answer.Never<NeighborState> _ -> "-";
        };
    }

    @Test
    void table_isThatOfTheSpecifications() {
        StringBuilder table = new StringBuilder();
        for (NeighborState state : NeighborState.values()) {
            table.append(state);
            for (Event event : Event.values()) {
                table.append(' ').append(cell(state, event));
            }
            table.append('\n');
        }
        String expected = TABLE.substring(TABLE.indexOf('\n') + 1).replaceAll(" +", " ");
        assertEquals(expected, table.toString());
    }

    /** Suspicion alone never leads to the one state in which no packet is sent. */
    @Test
    void knownAddress_isNeverForgotten() {
        Set<NeighborState> known = EnumSet.complementOf(EnumSet.of(NeighborState.INCOMPLETE));
        for (NeighborState state : known) {
            for (Event event : Event.values()) {
                if (NeighborState.table().answer(state, event)
                        instanceof Answer.Go<NeighborState>(NeighborState next)) {
                    assertEquals(true, known.contains(next), state + " " + event);
                }
            }
        }
    }
}
