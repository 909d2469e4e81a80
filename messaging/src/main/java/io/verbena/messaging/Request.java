package io.verbena.messaging;

import io.verbena.messaging.channel.MessagingException;

/** A send or receive in progress. */
public interface Request {

    /**
     * Makes progress and returns whether the operation is done.
     *
     * @throws MessagingException if the operation failed
     */
    boolean test();

    /**
     * Waits until the operation is done (MPI_Wait). If the wait is interrupted the operation continues, and the call can be repeated.
     *
     * @throws MessagingException if the operation failed, or the wait was interrupted
     */
    Status await();

    /** Returns whether the operation is done, without making progress. */
    boolean done();

    /** Waits for all requests (MPI_Waitall). */
    static void awaitAll(Request... requests) {
        for (Request request : requests) {
            request.await();
        }
    }
}
