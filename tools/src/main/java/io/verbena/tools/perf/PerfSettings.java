package io.verbena.tools.perf;

import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Progress;
import java.time.Duration;

/**
 * How a client measures.
 *
 * @param token that the server wants to see; zeros where it wants none
 * @param load size of the session
 * @param progress the progress mode of the RNIC
 * @param timeout how long the peer may do nothing
 * @param connection what to connect with
 */
public record PerfSettings(byte[] token, Load load, Progress progress, Duration timeout, ConnectionOptions connection) {

    /**
     * Size of a session.
     *
     * @param maxBytes largest message
     * @param queuePairs connections that share the work of a bandwidth run
     * @param depth messages outstanding on each
     */
    public record Load(int maxBytes, int queuePairs, int depth) {}

    /** Bytes of a token. */
    public static final int TOKEN_BYTES = PerfMessage.TOKEN_BYTES;

    /** Most bytes of a message. */
    public static final int MOST_SIZE = PerfMessage.MOST_SIZE;

    /** Most connections of a session. */
    public static final int MOST_QUEUE_PAIRS = PerfMessage.MOST_QUEUE_PAIRS;

    /** Most messages outstanding on a connection. */
    public static final int MOST_DEPTH = PerfMessage.MOST_DEPTH;

    /** Memory that all connections of a session may take on each side, 1 GiB. */
    public static final long MOST_MEMORY = 1L << 30;

    /** Memory that this number of connections takes on each side. */
    public static long memoryBytes(int maxBytes, int queuePairs) {
        return queuePairs * PerfMemory.bytes(maxBytes);
    }

    PerfMessage.Open open() {
        return new PerfMessage.Open(token, load.maxBytes(), load.queuePairs(), load.depth());
    }
}
