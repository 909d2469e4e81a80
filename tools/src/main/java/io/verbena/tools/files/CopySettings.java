package io.verbena.tools.files;

import io.verbena.verbs.ConnectionOptions;
import java.time.Duration;

/**
 * How a file is copied.
 *
 * @param connections connections that share the work
 * @param chunkBytes bytes of one Read or Write, and of one checksum
 * @param depth chunks under way on a connection
 * @param verify whether checksums are compared
 * @param sparse whether runs of zeros are left out of a local file
 * @param toDisk whether the copy waits until the disk has everything
 * @param retryFor how long broken connections are tried again without any progress
 * @param timeout longest wait for an answer
 * @param connection how to connect
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
