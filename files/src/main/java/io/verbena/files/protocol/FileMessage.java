package io.verbena.files.protocol;

import io.verbena.verbs.RemoteRegion;
import java.util.List;

/**
 * A message between a file server and its client: big endian, one message per RDMA Send, at most {@link #MAX_BYTES}. The
 * server answers each question of the client once, in order, and with the number of the question.
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
 * Names and sentences are UTF-8. A flag is 0 or 1. {@code mode} is 0 to read and 1 to write. PROBLEM may answer any question;
 * the connection is then in the same state as before the question.
 */
public sealed interface FileMessage {

    /** Maximum length of a message. */
    int MAX_BYTES = 1024;

    /** Maximum length of a name. */
    int MAX_NAME_BYTES = 255;

    /** Maximum length of the range of one SUM. */
    int MAX_SUM_BYTES = 64 << 20;

    /** Requests the files on offer, starting with the one of this index. */
    record ListFrom(int first) implements FileMessage {}

    /**
     * Files on offer.
     *
     * @param total number of files in total
     * @param entries some of them, starting with the requested one; empty if the index is past the last
     */
    record Names(int total, List<Entry> entries) implements FileMessage {

        public Names {
            entries = List.copyOf(entries);
        }
    }

    /**
     * Requests the registration of a file for this connection.
     *
     * @param client an unpredictable number, equal on all connections of one copy
     * @param length for writing, the length that the file will have; for reading, 0
     */
    record Open(long client, long length, boolean writing, String name) implements FileMessage {}

    /**
     * The file is registered.
     *
     * @param server an unpredictable number that changes when the server is restarted
     * @param region the whole file, accessible from this connection only; for an empty file, a region of length 0 without a key
     */
    record Opened(FileAttributes attributes, long server, RemoteRegion region) implements FileMessage {}

    /** Requests the checksum of a range of the open file. It covers all Writes that precede this message on the connection. */
    record Sum(long offset, int length) implements FileMessage {}

    /**
     * A checksum.
     *
     * @param zero whether every byte of the range is 0
     */
    record Summed(int crc32c, boolean zero) implements FileMessage {}

    /** Requests the attributes of the open file. */
    record Stat() implements FileMessage {}

    /** The attributes of the open file. */
    record Status(FileAttributes attributes) implements FileMessage {}

    /**
     * Requests the end of a store: the open file gets this length.
     *
     * @param toDisk whether the answer waits until the file is on the disk
     */
    record Commit(long length, boolean toDisk) implements FileMessage {}

    /** Requests the deregistration of the open file. */
    record Close() implements FileMessage {}

    /** The file is deregistered. */
    record Closed() implements FileMessage {}

    /** The question failed, for the reason given. */
    record Problem(String sentence) implements FileMessage {}

    /** A message with the number of its question. */
    record Numbered(int number, FileMessage message) {}

    /**
     * One file on offer.
     *
     * @param size bytes; negative if the file cannot be accessed now
     */
    record Entry(long size, boolean writable, String name) {}
}
