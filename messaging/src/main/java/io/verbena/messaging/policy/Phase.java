package io.verbena.messaging.policy;

/**
 * One size of buffers.
 *
 * @param payloadBytes most payload of an element in one buffer
 * @param thresholdBytes an element above this is too large for these buffers; at most the payload
 */
public record Phase(int payloadBytes, int thresholdBytes) {

    /** Largest payload of a buffer. */
    public static final int MAX_PAYLOAD_BYTES = 64 << 20;

    /** Checks the ranges. */
    public Phase {
        if (payloadBytes < 24 || payloadBytes > MAX_PAYLOAD_BYTES) {
            throw new IllegalArgumentException(
                    "a buffer's payload must be 24 to " + MAX_PAYLOAD_BYTES + " bytes, not " + payloadBytes);
        }
        if (thresholdBytes < 0 || thresholdBytes > payloadBytes) {
            throw new IllegalArgumentException("a threshold must be 0 to the " + payloadBytes
                    + " bytes of its buffers, not " + thresholdBytes + ": larger elements would not fit");
        }
    }

    /** Buffers that are used as long as an element fits. */
    public static Phase of(int payloadBytes) {
        return new Phase(payloadBytes, payloadBytes);
    }

    /** With a tolerance: the threshold is this share of the buffer, say 80 to 99 percent. */
    public static Phase withTolerance(int payloadBytes, int percent) {
        if (percent < 1 || percent > 100) {
            throw new IllegalArgumentException("a threshold must be 1 to 100 percent of its buffer, not " + percent);
        }
        return new Phase(payloadBytes, (int) ((long) payloadBytes * percent / 100));
    }
}
