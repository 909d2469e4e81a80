package io.verbena.ib.paths;

import static io.verbena.ib.paths.PathEvent.ANSWERED;
import static io.verbena.ib.paths.PathEvent.LOSSY;
import static io.verbena.ib.paths.PathEvent.PAUSED;
import static io.verbena.ib.paths.PathEvent.REVIVED;
import static io.verbena.ib.paths.PathEvent.SILENT;
import static io.verbena.verbs.PathState.ACTIVE;
import static io.verbena.verbs.PathState.PROBING;
import static io.verbena.verbs.PathState.RETIRED;
import static io.verbena.verbs.PathState.SUSPECT;

import io.verbena.base.TransitionTable;
import io.verbena.verbs.PathState;

/** The table of the life of a path. */
final class PathStates {

    /** All transitions. {@link Spray} withholds those that would retire the last path. */
    static final TransitionTable<PathState, PathEvent> TABLE = TransitionTable.of(PathState.class, PathEvent.class)
            .ignore(ACTIVE, ANSWERED, PAUSED, REVIVED)
            .go(ACTIVE, LOSSY, SUSPECT)
            .go(ACTIVE, SILENT, SUSPECT)
            .go(SUSPECT, ANSWERED, ACTIVE)
            .go(SUSPECT, LOSSY, RETIRED)
            .go(SUSPECT, SILENT, RETIRED)
            .ignore(SUSPECT, PAUSED, REVIVED)
            .ignore(RETIRED, ANSWERED, LOSSY, SILENT, REVIVED)
            .go(RETIRED, PAUSED, PROBING)
            .ignore(PROBING, ANSWERED, LOSSY, PAUSED)
            .go(PROBING, SILENT, RETIRED)
            .go(PROBING, REVIVED, ACTIVE)
            .build();

    private PathStates() {}
}
