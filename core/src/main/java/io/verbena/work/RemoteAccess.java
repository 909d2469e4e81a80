package io.verbena.work;

import io.verbena.memory.AccessCheck;
import io.verbena.memory.RegionTable;
import io.verbena.memory.Verdict;
import io.verbena.verbs.AccessRight;

/** Checks the accesses of the peer of one queue pair. Keeps no result: the result is in the caller's {@link Grant}. */
public final class RemoteAccess {

    /** A check for no message, which never passes for a one-shot key. */
    public static final long NO_MESSAGE = AccessCheck.NO_MESSAGE;

    private final RegionTable regions;
    private final int domain;
    private final int queuePair;

    public RemoteAccess(QueuePairContext context) {
        regions = context.regions();
        domain = context.domain();
        queuePair = context.number();
    }

    /**
     * Checks one access. Allocates nothing and takes no lock.
     *
     * @param key the remote key that the peer sent; any value
     * @param message number of the message that the access is part of, see {@link OneShotKeys}; or {@link #NO_MESSAGE}
     * @param address first byte, unsigned; any value
     * @param length number of bytes, 0 or more
     * @param right the right that the access requires
     * @param grant the result; valid only after OK and NOT_NOW
     * @return OK, the first check that failed, or NOT_NOW while a page is being fetched
     */
    public Verdict check(int key, long message, long address, long length, AccessRight right, Grant grant) {
        return grant.check.check(regions, key, domain, queuePair, message, address, length, right);
    }
}
