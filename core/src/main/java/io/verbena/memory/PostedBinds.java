package io.verbena.memory;

/**
 * The posted but incomplete binds and unbinds of one remote key, in the order of posting. An entry is removed when the
 * work completes or is flushed. The caller holds the lock of {@link RegionTable}.
 */
final class PostedBinds {

    /** The value of an unbind. */
    static final int UNBIND = 0;

    private static final int WORDS = 4;
    private static final int ADDRESS = 1;
    private static final int LENGTH = 2;
    private static final int SEQUENCE = 3;
    private static final int FIRST_CAPACITY = 2;

    /** A ring of entries: value and queue pair, address, length, sequence number. */
    private long[] words = {};

    private int first;
    private int count;

    int count() {
        return count;
    }

    /**
     * Adds an entry.
     *
     * @param value the value that a bind assigns, or {@link #UNBIND}
     * @param queuePair number of the queue pair whose send queue contains the work
     * @param sequence increases with every bind and unbind of the key
     */
    void add(int value, int queuePair, long address, long length, long sequence) {
        if (count * WORDS == words.length) {
            grow();
        }
        int at = at(count++);
        words[at] = (long) queuePair << Integer.SIZE | value & 0xffff_ffffL;
        words[at + ADDRESS] = address;
        words[at + LENGTH] = length;
        words[at + SEQUENCE] = sequence;
    }

    private void grow() {
        long[] grown = new long[Math.max(FIRST_CAPACITY * WORDS, 2 * words.length)];
        for (int i = 0; i < count; i++) {
            System.arraycopy(words, at(i), grown, i * WORDS, WORDS);
        }
        words = grown;
        first = 0;
    }

    /** Where the entry of an index is; 0 is the oldest. */
    private int at(int index) {
        return (first + index) * WORDS & words.length - 1;
    }

    int value(int index) {
        return (int) words[at(index)];
    }

    int queuePair(int index) {
        return (int) (words[at(index)] >>> Integer.SIZE);
    }

    long address(int index) {
        return words[at(index) + ADDRESS];
    }

    long length(int index) {
        return words[at(index) + LENGTH];
    }

    long sequence(int index) {
        return words[at(index) + SEQUENCE];
    }

    /** Index of the oldest work with this value on this queue pair, or -1. */
    int find(int value, int queuePair) {
        for (int i = 0; i < count; i++) {
            if (value(i) == value && queuePair(i) == queuePair) {
                return i;
            }
        }
        return -1;
    }

    /** Whether a bind that assigns this value is posted. */
    boolean has(int value) {
        for (int i = 0; i < count; i++) {
            if (value(i) == value) {
                return true;
            }
        }
        return false;
    }

    void remove(int index) {
        if (index == 0) {
            first++;
        } else {
            for (int i = index; i < count - 1; i++) {
                System.arraycopy(words, at(i + 1), words, at(i), WORDS);
            }
        }
        count--;
    }
}
