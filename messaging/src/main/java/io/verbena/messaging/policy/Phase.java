package io.verbena.messaging.policy;

/**
 * One size of buffers.
 *
 * @param payloadBytes largest payload of an element in one buffer
 * @param thresholdBytes longer elements need larger buffers; at most the payload
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

    /** Buffers that are used for all elements that fit. */
    public static Phase of(int payloadBytes) {
        return new Phase(payloadBytes, payloadBytes);
    }

    /** Buffers with a tolerance: the threshold is this share of the payload, for example 80 to 99 percent. */
    public static Phase withTolerance(int payloadBytes, int percent) {
        if (percent < 1 || percent > 100) {
            throw new IllegalArgumentException("a threshold must be 1 to 100 percent of its buffer, not " + percent);
        }
        return new Phase(payloadBytes, (int) ((long) payloadBytes * percent / 100));
    }
}
