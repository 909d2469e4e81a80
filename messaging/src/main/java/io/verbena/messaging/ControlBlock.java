package io.verbena.messaging;

/**
 * What a peer writes besides rings: for each virtual channel, how many slots it has given back, and its acknowledgement.
 *
 * <pre>
 *  0                 64                128
 *  | returned (8) |  | acknowledgement |
 * </pre>
 */
final class ControlBlock {

    static final int BYTES = 128;
    private static final int ACKNOWLEDGEMENT = 64;

    private ControlBlock() {}

    static long returnedAt(int virtualChannel) {
        return (long) virtualChannel * BYTES;
    }

    static long acknowledgementAt(int virtualChannel) {
        return (long) virtualChannel * BYTES + ACKNOWLEDGEMENT;
    }
}
