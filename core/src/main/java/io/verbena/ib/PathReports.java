package io.verbena.ib;

import io.verbena.ib.endpoint.PendingEvents;
import io.verbena.ib.paths.PathEvents;
import io.verbena.verbs.AsyncEventType;

/** Reports paths that requests leave and take again as events of the queue pair. */
record PathReports(PendingEvents events) implements PathEvents {

    @Override
    public void onRetired(int number) {
        events.raise(AsyncEventType.PATH_RETIRED);
    }

    @Override
    public void onRevived(int number) {
        events.raise(AsyncEventType.PATH_REVIVED);
    }
}
