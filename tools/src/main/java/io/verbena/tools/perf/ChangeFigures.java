package io.verbena.tools.perf;

import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.verbs.TransportChanges;
import java.util.Optional;

/**
 * The changes of transport during a measurement that had no error: an error ends it.
 *
 * @param made the changes
 */
public record ChangeFigures(TransportChanges made) {

    /** The changes between two snapshots. */
    public static ChangeFigures between(TransportChanges before, TransportChanges after) {
        return new ChangeFigures(new TransportChanges(
                after.changes() - before.changes(),
                after.repeated() - before.repeated(),
                after.recovered() - before.recovered()));
    }

    /** A sentence for people; none if there was no change. */
    public Optional<String> sentence() {
        return made.changes() == 0
                ? Optional.empty()
                : Optional.of("Changes of transport: " + Figures.count(made.changes()) + "; requests sent again: "
                        + Figures.count(made.repeated()) + "; completed as the server had executed them: "
                        + Figures.count(made.recovered()) + "; errors: 0.");
    }

    /** The figures. */
    public JsonObject json() {
        return new JsonObject()
                .put("changes", made.changes())
                .put("repeated", made.repeated())
                .put("recovered", made.recovered())
                .put("errors", 0);
    }
}
