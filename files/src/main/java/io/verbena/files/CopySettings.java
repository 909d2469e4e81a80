package io.verbena.files;

import io.verbena.verbs.ConnectionOptions;
import java.time.Duration;

/**
 * The settings of a copy.
 *
 * @param connections number of connections that share the work
 * @param chunkBytes size of one Read or Write, and of one checksum
 * @param depth chunks in flight on each connection
 * @param verify whether checksums are compared
 * @param sparse whether runs of zeros become holes of a local file
 * @param toDisk whether the copy waits until the file is on the disk
 * @param retryFor how long to reconnect without any progress before giving up
 * @param timeout maximum time to wait for an answer
 * @param connection options of each connection
 */
public record CopySettings(
        int connections,
        int chunkBytes,
        int depth,
        boolean verify,
        boolean sparse,
        boolean toDisk,
        Duration retryFor,
        Duration timeout,
        ConnectionOptions connection) {}
