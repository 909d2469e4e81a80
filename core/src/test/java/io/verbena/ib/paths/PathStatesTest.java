package io.verbena.ib.paths;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.PathState;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Every cell of the table of the life of a path. */
class PathStatesTest {

    /** By event: the states after it, in the order of {@link PathState}. */
    private static final Map<PathEvent, String> EXPECTED = Map.of(
            PathEvent.ANSWERED, "ACTIVE ACTIVE RETIRED PROBING",
            PathEvent.LOSSY, "SUSPECT RETIRED RETIRED PROBING",
            PathEvent.SILENT, "SUSPECT RETIRED RETIRED RETIRED",
            PathEvent.PAUSED, "ACTIVE SUSPECT PROBING PROBING",
            PathEvent.REVIVED, "ACTIVE SUSPECT RETIRED ACTIVE");

    @Test
    void everyStateAndEvent_leadsToTheStateOfTheTable() {
        for (PathEvent event : PathEvent.values()) {
            StringBuilder after = new StringBuilder();
            for (PathState state : PathState.values()) {
                after.append(after.isEmpty() ? "" : " ").append(PathStates.TABLE.next(state, event));
            }
            assertEquals(EXPECTED.get(event), after.toString(), event.name());
        }
    }
}
