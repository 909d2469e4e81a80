package io.verbena.tools.perf;

import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.verbs.TransportChanges;
import java.util.Optional;

/**
 * The changes of transport during a measurement that had no error: an error ends it.
 *
 * @param changes their numbers
 */
public record ChangeFigures(TransportChanges changes) {

    /** The changes between two snapshots. */
    public static ChangeFigures between(TransportChanges before, TransportChanges after) {
        return new ChangeFigures(new TransportChanges(
                after.changes() - before.changes(),
                after.repeated() - before.repeated(),
                after.recovered() - before.recovered()));
    }

    /** A sentence for people; none if there was no change. */
    public Optional<String> sentence() {
        return changes.changes() == 0
                ? Optional.empty()
                : Optional.of("Changes of transport: " + Figures.count(changes.changes()) + "; requests sent again: "
                        + Figures.count(changes.repeated()) + "; completed as the server had executed them: "
                        + Figures.count(changes.recovered()) + "; errors: 0.");
    }

    /** The figures. */
    public JsonObject json() {
        return new JsonObject()
                .put("changes", changes.changes())
                .put("repeated", changes.repeated())
                .put("recovered", changes.recovered())
                .put("errors", 0);
    }
}
