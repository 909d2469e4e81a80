package io.verbena.messaging.ring;

/**
 * Layout of the memory that the peer writes in addition to the rings: for each virtual channel, the number of slots that the peer has
 * returned and its acknowledgement of the last request.
 *
 * <pre>
 *  0                 64                128
 *  | returned (8) |  | acknowledgement |
 * </pre>
 */
public final class ControlBlock {

    /** Length of the control block of one virtual channel. */
    public static final int BYTES = 128;

    private static final int ACKNOWLEDGEMENT = 64;

    private ControlBlock() {}

    /** Offset of the number of returned slots. */
    public static long returnedAt(int virtualChannel) {
        return (long) virtualChannel * BYTES;
    }

    /** Offset of the acknowledgement. */
    public static long acknowledgementAt(int virtualChannel) {
        return (long) virtualChannel * BYTES + ACKNOWLEDGEMENT;
    }
}
