package io.verbena.hardware.provider.request;

/** The number that an adapter is given with a request: the queue, the direction and the slot. */
public final class WorkId {

    private static final int QUEUE_SHIFT = 32;
    private static final long RECEIVE = 1L << 31;
    private static final long SHARED = 1L << 63;

    /** Of an entry that is for no queue. */
    public static final long NONE = (long) Integer.MAX_VALUE << QUEUE_SHIFT;

    /** Of the Write by which a side says that it closes a connection. */
    public static final long FAREWELL = NONE | 1;

    private WorkId() {}

    /** The number of a request in a slot of the send queue. */
    public static long send(int queuePair, int slot) {
        return (long) queuePair << QUEUE_SHIFT | slot;
    }

    /** The number of a receive. */
    public static long receive(int queuePair, int slot) {
        return (long) queuePair << QUEUE_SHIFT | RECEIVE | slot;
    }

    /** The number of a receive of a shared receive queue. */
    public static long shared(int queue, int slot) {
        return SHARED | receive(queue, slot);
    }

    /** Number of the queue pair or of the shared receive queue. */
    public static int queue(long id) {
        return (int) ((id & ~SHARED) >>> QUEUE_SHIFT);
    }

    public static boolean isShared(long id) {
        return (id & SHARED) != 0;
    }

    public static boolean isReceive(long id) {
        return (id & RECEIVE) != 0;
    }

    public static int slot(long id) {
        return (int) (id & RECEIVE - 1);
    }
}
