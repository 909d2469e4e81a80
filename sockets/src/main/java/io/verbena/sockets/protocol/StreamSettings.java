package io.verbena.sockets.protocol;

/**
 * Sizes of a stream.
 *
 * @param credits data messages that the peer may have sent and this side not yet taken, when the receive buffer has grown; as many
 *     receives are posted, and {@link #CONTROL_MESSAGES} more
 * @param sendSlots entries of the send queue
 * @param initialBytes size of each buffer at first; an even number
 * @param mostBytes size up to which a buffer grows
 * @param immediate whether this side can use immediate data: always on InfiniBand, on iWARP if the device has it
 * @param infiniband whether messages are immediate data in any case, because the transport is InfiniBand's
 */
public record StreamSettings(
        int credits, int sendSlots, int initialBytes, int mostBytes, boolean immediate, boolean infiniband) {

    /** Smaller writes pass through the send buffer: their second copy costs less than reaching the memory of the peer. */
    public static final int LEAST_PLACED_BYTES = 16 << 10;

    /**
     * Messages without a credit that can be under way to this side at once: two targets, their credits, credits alone,
     * larger receives, what is left at the end, and the end of the stream.
     */
    public static final int CONTROL_MESSAGES = 8;

    /** Bytes of data that one Send carries over iWARP, if that was agreed. */
    public static final int SHORT_BYTES = 1024;

    private static final int FIRST_CREDITS = 8;
    private static final int GROWTH = 4;

    public StreamSettings {
        if (credits < 2 || credits > 1 << 14) {
            throw new IllegalArgumentException("credits must be 2 to 16384, not " + credits);
        }
        if (sendSlots < 2 * CONTROL_MESSAGES) {
            throw new IllegalArgumentException(
                    "sendSlots must be at least " + 2 * CONTROL_MESSAGES + ", not " + sendSlots);
        }
        if (initialBytes < 2 || initialBytes % 2 != 0 || mostBytes < initialBytes || mostBytes > 1 << 28) {
            throw new IllegalArgumentException("buffers must grow from an even number of bytes to at most 256 MiB, not "
                    + initialBytes + " to " + mostBytes);
        }
    }

    /** The credits until the receive buffer has grown: a stream that is idle needs few receives. */
    public int firstCredits() {
        return Math.min(credits, FIRST_CREDITS);
    }

    /** The greatest number of receives to post. */
    public int receives() {
        return credits + CONTROL_MESSAGES;
    }

    /**
     * The next size of a buffer of this size: a power of two, at least four times as large, because memory of 64 KiB and more can be shared
     * with a peer on this host; at most {@link #mostBytes}.
     */
    int grown(int bytes) {
        return (int) Math.min(mostBytes, Long.highestOneBit((long) bytes * GROWTH - 1) << 1);
    }
}
