package io.verbena.iwarp;

import io.verbena.memory.RegionTable;

/**
 * The messages of one stream as one-shot keys see them: each has a number of its own among all of the RNIC, and a key that it
 * has claimed dies when the message is over, or with the stream.
 *
 * <pre>
 *   queue pair 24 | kind 2 | message of the stream 38
 * </pre>
 */
final class KeyUse {

    private static final int QUEUE_PAIR_SHIFT = 40;
    private static final int KIND_SHIFT = 38;
    private static final long WRITE = 1L << KIND_SHIFT;
    private static final long READ = 2L << KIND_SHIFT;
    private static final long ATOMIC = 3L << KIND_SHIFT;
    private static final long NUMBERS = WRITE - 1;

    private final RegionTable regions;
    private final InboundReads inbound;
    private final int queuePair;
    private long writes;
    private int writeKey;

    KeyUse(RegionTable regions, InboundReads inbound, int queuePair) {
        this.regions = regions;
        this.inbound = inbound;
        this.queuePair = queuePair;
    }

    /** Number of the queue pair. */
    int queuePair() {
        return queuePair;
    }

    /** The Write under way, or the next one. */
    long write() {
        return message(WRITE, writes);
    }

    /** The Read that is, or will be, at a place of {@link InboundReads}. */
    long read(long index) {
        return message(READ, index);
    }

    /** The atomic that will have a place of {@link InboundReads}. */
    long atomic(long index) {
        return message(ATOMIC, index);
    }

    private long message(long kind, long number) {
        return (long) queuePair << QUEUE_PAIR_SHIFT | kind | number & NUMBERS;
    }

    /** The Write under way has claimed a key; false if it had claimed another one before. */
    boolean claimed(int key) {
        if (writeKey != 0 && writeKey != key) {
            return false;
        }
        writeKey = key;
        return true;
    }

    /** The Write under way is complete. */
    void writeOver() {
        if (writeKey != 0) {
            regions.keys().used(writeKey, write());
            writeKey = 0;
        }
        writes++;
    }

    /** The oldest Read's answer has left. */
    void readOver() {
        long oldest = inbound.oldest();
        if (inbound.oneShot(oldest)) {
            regions.keys().used(inbound.sourceStag(oldest), read(oldest));
        }
    }

    /** An atomic was executed. */
    void atomicOver(int key) {
        regions.keys().used(key, atomic(inbound.next()));
    }

    /** The stream is over, and with it the messages that were under way. */
    void streamOver() {
        if (writeKey != 0) {
            writeOver();
        }
        for (long i = inbound.oldest(); i < inbound.next(); i++) {
            if (inbound.oneShot(i)) {
                regions.keys().used(inbound.sourceStag(i), read(i));
            }
        }
    }
}
