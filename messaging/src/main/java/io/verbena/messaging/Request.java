package io.verbena.messaging;

/** A send or receive under way. */
public interface Request {

    /** Makes progress and tells whether it is done. A request that failed throws. */
    boolean test();

    /** Waits until it is done (MPI_Wait). */
    Status await();

    /** Whether it was done when progress was made last; makes none. */
    boolean done();

    /** Waits for all (MPI_Waitall). */
    static void awaitAll(Request... requests) {
        for (Request request : requests) {
            request.await();
        }
    }
}
