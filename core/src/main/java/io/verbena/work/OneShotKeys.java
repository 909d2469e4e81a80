package io.verbena.work;

import io.verbena.memory.RegionTable;

/**
 * Numbers the messages of one connection for one-shot keys. A number is unique within the RNIC. A one-shot key belongs to the
 * first message that uses it, and ends with that message or with the connection.
 *
 * <pre>
 *   queue pair 24 | kind 2 | message of the connection 38
 * </pre>
 */
public final class OneShotKeys {

    private static final int QUEUE_PAIR_SHIFT = 40;
    private static final int KIND_SHIFT = 38;
    private static final long WRITE = 1L << KIND_SHIFT;
    private static final long READ = 2L << KIND_SHIFT;
    private static final long ATOMIC = 3L << KIND_SHIFT;
    private static final long NUMBERS = WRITE - 1;

    /** No remote key has this value. */
    private static final int NONE = 0;

    private final RegionTable regions;
    private final int queuePair;
    private long writes;
    private int writeKey = NONE;

    public OneShotKeys(RegionTable regions, int queuePair) {
        this.regions = regions;
        this.queuePair = queuePair;
    }

    /** The Write in progress, or the next one. */
    public long write() {
        return message(WRITE, writes);
    }

    /** The Read, or atomic, with this index among the requests of the peer. */
    public long read(long index) {
        return message(READ, index);
    }

    /** The atomic with this index, where atomics are numbered apart from Reads. */
    public long atomic(long index) {
        return message(ATOMIC, index);
    }

    private long message(long kind, long number) {
        return (long) queuePair << QUEUE_PAIR_SHIFT | kind | number & NUMBERS;
    }

    /** Records that the Write in progress uses this key. Returns false if it used another one before: a message has one key. */
    public boolean claimForWrite(int key) {
        if (writeKey != NONE && writeKey != key) {
            return false;
        }
        writeKey = key;
        return true;
    }

    /** The Write in progress is complete, or its connection has ended. */
    public void endWrite() {
        if (writeKey != NONE) {
            regions.keys().used(writeKey, write());
            writeKey = NONE;
        }
        writes++;
    }

    /** The Read of this key and index is answered, or its connection has ended. */
    public void endRead(int key, long index) {
        regions.keys().used(key, read(index));
    }

    /** The atomic of this key and index was executed. */
    public void endAtomic(int key, long index) {
        regions.keys().used(key, atomic(index));
    }

    /** The connection has ended: a Write that was in progress ends. */
    public void end() {
        if (writeKey != NONE) {
            endWrite();
        }
    }
}
