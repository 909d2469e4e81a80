package io.verbena.files;

import io.verbena.verbs.ConnectionOptions;
import java.time.Duration;

/**
 * The settings of a copy.
 *
 * @param work how the file is divided
 * @param content how the content is treated
 * @param patience how long the copy waits
 * @param connection options of each connection
 */
public record CopySettings(Work work, Content content, Patience patience, ConnectionOptions connection) {

    /**
     * How the file is divided.
     *
     * @param connections number of connections that share the work
     * @param chunkBytes size of one Read or Write, and of one checksum
     * @param depth chunks in flight on each connection
     */
    public record Work(int connections, int chunkBytes, int depth) {}

    /**
     * How the content is treated.
     *
     * @param verify whether checksums are compared
     * @param sparse whether runs of zeros become holes of a local file
     * @param toDisk whether the copy waits until the file is on the disk
     */
    public record Content(boolean verify, boolean sparse, boolean toDisk) {}

    /**
     * How long a copy waits.
     *
     * @param retryFor how long to reconnect without any progress before giving up
     * @param timeout maximum time to wait for an answer
     */
    public record Patience(Duration retryFor, Duration timeout) {

        /** Times are limited to what a nanosecond clock can count. */
        public Patience {
            retryFor = bounded(retryFor);
            timeout = bounded(timeout);
        }
    }

    /** The same, with these options of each connection. */
    public CopySettings withConnection(ConnectionOptions value) {
        return new CopySettings(work, content, patience, value);
    }

    /** 73 years: the differences of instants that are so far apart do not overflow. */
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 4);

    /** Limits a time to what a nanosecond clock can count: none if it is negative, 73 years if it is longer. */
    static Duration bounded(Duration time) {
        if (time.isNegative()) {
            return Duration.ZERO;
        }
        return time.compareTo(LONGEST) > 0 ? LONGEST : time;
    }
}
