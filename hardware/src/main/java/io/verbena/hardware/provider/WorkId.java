package io.verbena.hardware.provider;

/** The number that an adapter is given with a request: the queue pair, the direction and the slot. */
final class WorkId {

    private static final int QUEUE_SHIFT = 32;
    private static final long RECEIVE = 1L << 31;

    private WorkId() {}

    /** The number of a request in a slot of the send queue. */
    static long send(int queuePair, int slot) {
        return (long) queuePair << QUEUE_SHIFT | slot;
    }

    /** The number of a receive. */
    static long receive(int queuePair, int slot) {
        return (long) queuePair << QUEUE_SHIFT | RECEIVE | slot;
    }

    static int queuePair(long id) {
        return (int) (id >>> QUEUE_SHIFT);
    }

    static boolean isReceive(long id) {
        return (id & RECEIVE) != 0;
    }

    static int slot(long id) {
        return (int) (id & RECEIVE - 1);
    }
}
