package io.verbena.messaging;

/** A collective operation that is prepared once and started many times (MPI_Allreduce_init and its like). A start allocates nothing. */
public interface PersistentRequest extends Request {

    /**
     * Starts the operation with the bytes that are in its buffers now (MPI_Start). All ranks start their persistent operations in the same
     * order.
     *
     * @throws IllegalStateException if the operation is in progress
     */
    void start();
}
