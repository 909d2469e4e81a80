package io.verbena.tools.files;

import io.verbena.verbs.RemoteRegion;
import java.util.List;

/**
 * What a file server and its client say to each other by RDMA Send: big endian, one message a Send, at most {@link
 * #MAX_BYTES}. The client asks, the server answers each question once and in their order, with the question's number.
 *
 * <pre>
 *   0               1               2               3
 *  +---------------+---------------+---------------+---------------+
 *  |     kind      |               number of the question          |   every message
 *  +---------------+-----------------------------------------------+
 *  |                             body                              |
 *
 *  question                                          answer
 *  LIST    1 | first (4)                             NAMES   2 | total (4) | count (1) | entries
 *                                                       entry: size (8) | writable (1) | length (1) | name
 *  OPEN    3 | client (8) | length (8) | mode (1)    OPENED  4 | attributes (25) | server (8) | region (20)
 *            | length (1) | name                        region: address (8) | length (8) | key (4)
 *  SUM     5 | offset (8) | length (4)               SUMMED  6 | CRC32C (4) | all zero (1)
 *  STAT    7 |                                       STATUS  8 | attributes (25)
 *  COMMIT  9 | length (8) | to disk (1)              STATUS  8 | attributes (25)
 *  CLOSE  10 |                                       CLOSED 11 |
 *                                                    PROBLEM 12 | length (2) | sentence
 *
 *  attributes: size (8) | modified, ns since 1970 (8) | identity (8) | writable (1)
 * </pre>
 *
 * Names and sentences are UTF-8. A flag is 0 or 1. {@code mode} is 0 to read and 1 to write. Any question may be answered by
 * PROBLEM, after which the connection is as it was before the question.
 */
sealed interface FileMessage {

    /** Most bytes of a message. */
    int MAX_BYTES = 1024;

    /** Most bytes of a name. */
    int MAX_NAME_BYTES = 255;

    /** Most bytes that one SUM is about. */
    int MAX_SUM_BYTES = 64 << 20;

    /** What is offered, from the name of this number on? */
    record ListFrom(int first) implements FileMessage {}

    /**
     * What is offered.
     *
     * @param total names in all
     * @param entries some of them, from the one that was asked for; empty when that is behind the last
     */
    record Names(int total, List<Entry> entries) implements FileMessage {

        public Names {
            entries = List.copyOf(entries);
        }
    }

    /**
     * Register a file for this connection.
     *
     * @param client an unpredictable number, the same on all connections of one copy
     * @param length writing: how long the file is to be; reading: 0
     */
    record Open(long client, long length, boolean writing, String name) implements FileMessage {}

    /**
     * It is registered.
     *
     * @param server an unpredictable number, the same as long as the server runs
     * @param region opens the whole file, for this connection only; of length 0, with no key, for an empty file
     */
    record Opened(FileAttributes attributes, long server, RemoteRegion region) implements FileMessage {}

    /** What is the checksum of this range of the open file? The answer covers all that was written before. */
    record Sum(long offset, int length) implements FileMessage {}

    /**
     * The checksum.
     *
     * @param zero whether every byte of the range is 0
     */
    record Summed(int crc32c, boolean zero) implements FileMessage {}

    /** How is the open file now? */
    record Stat() implements FileMessage {}

    /** So it is. */
    record Status(FileAttributes attributes) implements FileMessage {}

    /**
     * Everything is written: the open file gets this length.
     *
     * @param toDisk whether the answer waits until the disk has everything
     */
    record Commit(long length, boolean toDisk) implements FileMessage {}

    /** Deregister the open file. */
    record Close() implements FileMessage {}

    /** It is deregistered. */
    record Closed() implements FileMessage {}

    /** The question cannot be met. */
    record Problem(String sentence) implements FileMessage {}

    /** A message with the number of its question. */
    record Numbered(int number, FileMessage message) {}

    /**
     * One offer.
     *
     * @param size bytes; negative when the file cannot be reached right now
     */
    record Entry(long size, boolean writable, String name) {}
}
