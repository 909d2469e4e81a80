package io.verbena.sockets.stream;

import java.time.Duration;

/**
 * How the sockets of a {@link StreamNetwork} work.
 *
 * @param mostBufferBytes size up to which the send and the receive buffer of a socket grow; they begin with about 1 KiB
 * @param mostBytes memory of all buffers that have grown; sockets keep their small buffers when it is used up
 * @param connectTimeout maximum time until a connection is established
 * @param flushTimeout maximum time to send what was written before a socket was closed
 * @param extensions whether immediate data are offered over iWARP, which two Verbenas use; librdmacm ignores the offer
 */
public record StreamOptions(
        int mostBufferBytes, long mostBytes, Duration connectTimeout, Duration flushTimeout, boolean extensions) {

    private static final int LEAST_BUFFER_BYTES = 4096;
    private static final int PATIENCE = 5;
    private static final Duration LONGEST = Duration.ofDays(1);

    public StreamOptions {
        if (mostBufferBytes < LEAST_BUFFER_BYTES || mostBufferBytes > 1 << 28) {
            throw new IllegalArgumentException("mostBufferBytes must be 4096 to 268435456, not " + mostBufferBytes);
        }
        requireTime("connectTimeout", connectTimeout);
        requireTime("flushTimeout", flushTimeout);
        if (mostBytes < 0) {
            throw new IllegalArgumentException("mostBytes must be 0 or more, not " + mostBytes);
        }
    }

    private static void requireTime(String name, Duration time) {
        if (time.isNegative() || time.isZero() || time.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + " must be more than 0 and at most a day, not " + time);
        }
    }

    /** Buffers of up to 512 KiB, 1 GiB in all, 10 s to connect, a minute to send what was written. */
    public static StreamOptions defaults() {
        return new StreamOptions(512 << 10, 1L << 30, Duration.ofSeconds(10), Duration.ofMinutes(1), true);
    }

    /**
     * Maximum time until a connection is established that a peer has requested. It is longer than that of the peer: if this side gave up
     * first, the peer would believe that the connection is established.
     */
    public Duration answerTimeout() {
        return connectTimeout.multipliedBy(PATIENCE);
    }

    public StreamOptions withMostBufferBytes(int value) {
        return new StreamOptions(value, mostBytes, connectTimeout, flushTimeout, extensions);
    }

    public StreamOptions withMostBytes(long value) {
        return new StreamOptions(mostBufferBytes, value, connectTimeout, flushTimeout, extensions);
    }

    public StreamOptions withConnectTimeout(Duration value) {
        return new StreamOptions(mostBufferBytes, mostBytes, value, flushTimeout, extensions);
    }

    public StreamOptions withFlushTimeout(Duration value) {
        return new StreamOptions(mostBufferBytes, mostBytes, connectTimeout, value, extensions);
    }

    public StreamOptions withExtensions(boolean value) {
        return new StreamOptions(mostBufferBytes, mostBytes, connectTimeout, flushTimeout, value);
    }
}
