package io.verbena.messaging.collective;

/**
 * What one rank does in a collective operation: an array of steps. Sends and receives are started, copies and combinations executed, until a
 * step AWAIT, which ends when all that was started is done. Messages of a pair of ranks match in the order of the steps.
 *
 * <pre>
 *   step:  | code (8), peer (24), first buffer (8), second buffer (8) | first offset | second offset | bytes |
 * </pre>
 */
public final class Schedule {

    /** Sends from the first place to the peer. */
    public static final int SEND = 0;

    /** Receives from the peer into the first place. */
    public static final int RECEIVE = 1;

    /** Copies from the first place to the second. */
    public static final int COPY = 2;

    /** Combines the first place with the second, which gets the result. */
    public static final int COMBINE = 3;

    /** Waits for everything that was started. */
    public static final int AWAIT = 4;

    public static final int SEND_BUFFER = 0;
    public static final int RECEIVE_BUFFER = 1;

    /** Memory of the operation itself. */
    public static final int SCRATCH = 2;

    /** Number of buffers. */
    public static final int BUFFERS = 3;

    static final int WORDS = 4;
    private static final int PEER_BITS = 24;
    private static final int PEER_SHIFT = 8;
    private static final int FIRST_SHIFT = PEER_SHIFT + PEER_BITS;
    private static final int SECOND_SHIFT = FIRST_SHIFT + 8;

    private final long[] steps;
    private final long scratchBytes;
    private final int mostPending;

    Schedule(long[] steps, long scratchBytes, int mostPending) {
        this.steps = steps;
        this.scratchBytes = scratchBytes;
        this.mostPending = mostPending;
    }

    static long word(int code, int peer, int first, int second) {
        return code | (long) peer << PEER_SHIFT | (long) first << FIRST_SHIFT | (long) second << SECOND_SHIFT;
    }

    /** Number of steps. */
    public int size() {
        return steps.length / WORDS;
    }

    /** Bytes of scratch memory that the operation needs. */
    public long scratchBytes() {
        return scratchBytes;
    }

    /** Largest number of sends and receives that are in progress at once. */
    public int mostPending() {
        return mostPending;
    }

    public int code(int step) {
        return (int) steps[step * WORDS] & 0xff;
    }

    public int peer(int step) {
        return (int) (steps[step * WORDS] >>> PEER_SHIFT) & (1 << PEER_BITS) - 1;
    }

    public int firstBuffer(int step) {
        return (int) (steps[step * WORDS] >>> FIRST_SHIFT) & 0xff;
    }

    public int secondBuffer(int step) {
        return (int) (steps[step * WORDS] >>> SECOND_SHIFT) & 0xff;
    }

    public long firstOffset(int step) {
        return steps[step * WORDS + 1];
    }

    public long secondOffset(int step) {
        return steps[step * WORDS + 2];
    }

    public long bytes(int step) {
        return steps[step * WORDS + 3];
    }
}
