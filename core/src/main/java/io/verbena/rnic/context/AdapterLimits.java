package io.verbena.rnic.context;

/**
 * What an adapter can do, whatever its transport: adapters of I/O devices have few queue pairs and do not perform the RDMA operations
 * of peers.
 *
 * @param queuePairs maximum number of queue pairs
 * @param incomingRdma whether peers can read and write memory of the adapter's host; false allows messages only
 */
public record AdapterLimits(int queuePairs, boolean incomingRdma) {

    /** An adapter with as many queue pairs as an RNIC can have. */
    public static final AdapterLimits NONE = new AdapterLimits(Limits.QUEUE_PAIRS, true);

    /** Checks the values. */
    public AdapterLimits {
        Limits.range("the number of queue pairs of an adapter", queuePairs, 1, Limits.QUEUE_PAIRS);
    }
}
