package io.verbena.ib;

import io.verbena.memory.RegionTable;

/**
 * The messages of one connection as one-shot keys see them: each has a number of its own among all of the RNIC, and a key that
 * it has claimed dies when the message is over, or with the connection.
 *
 * <pre>
 *   queue pair 24 | kind 2 | message of the connection 38
 * </pre>
 */
final class OneShotKeys {

    private static final int QUEUE_PAIR_SHIFT = 40;
    private static final int KIND_SHIFT = 38;
    private static final long WRITE = 1L << KIND_SHIFT;
    private static final long READ = 2L << KIND_SHIFT;
    private static final long NUMBERS = WRITE - 1;
    private static final int NONE = 0;

    private final RegionTable regions;
    private final int queuePair;
    private long writes;
    private int writeKey = NONE;

    OneShotKeys(RegionTable regions, int queuePair) {
        this.regions = regions;
        this.queuePair = queuePair;
    }

    /** The Write under way, or the next one. */
    long write() {
        return message(WRITE, writes);
    }

    /** The Read or atomic at a place of {@link ReadResources}. */
    long read(long index) {
        return message(READ, index);
    }

    private long message(long kind, long number) {
        return (long) queuePair << QUEUE_PAIR_SHIFT | kind | number & NUMBERS;
    }

    /** The Write under way has claimed a key; false if it had claimed another one before. */
    boolean claimed(int key) {
        if (writeKey != NONE && writeKey != key) {
            return false;
        }
        writeKey = key;
        return true;
    }

    /** The Write under way is complete, or the connection is over. */
    void writeOver() {
        if (writeKey != NONE) {
            regions.keys().used(writeKey, write());
            writeKey = NONE;
        }
        writes++;
    }

    /** The answer of a Read has made way for others, or the connection is over. */
    void readOver(int key, long index) {
        regions.keys().used(key, read(index));
    }
}
