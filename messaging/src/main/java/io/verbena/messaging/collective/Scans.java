package io.verbena.messaging.collective;

/** Reductions over the ranks up to each rank. */
final class Scans {

    private Scans() {}

    /** Each rank gets the result of the ranks up to itself. */
    static void inclusive(ScheduleBuilder steps, Place own, long bytes) {
        steps.copy(own, Place.RECEIVE, bytes);
        if (steps.rank > 0) {
            Place before = steps.scratch(bytes);
            steps.receive(steps.rank - 1, before, bytes);
            steps.await();
            steps.combine(before, Place.RECEIVE, bytes);
        }
        if (steps.rank + 1 < steps.size) {
            steps.send(steps.rank + 1, Place.RECEIVE, bytes);
        }
    }

    /** Each rank gets the result of the ranks before itself; the buffer of rank 0 stays as it is. */
    static void exclusive(ScheduleBuilder steps, Place own, long bytes) {
        boolean last = steps.rank + 1 == steps.size;
        if (steps.rank == 0) {
            if (!last) {
                steps.send(1, own, bytes);
            }
            return;
        }
        Place through = steps.scratch(last ? 0 : bytes);
        if (!last) {
            steps.copy(own, through, bytes);
        }
        steps.receive(steps.rank - 1, Place.RECEIVE, bytes);
        steps.await();
        if (!last) {
            steps.combine(Place.RECEIVE, through, bytes);
            steps.send(steps.rank + 1, through, bytes);
        }
    }
}
