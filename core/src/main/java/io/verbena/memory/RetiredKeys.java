package io.verbena.memory;

/**
 * The remote keys that died last, so that none of them is given out again soon: a ring in order of death, and a hash
 * set (linear probing) to look them up. It grows to 65,536 keys; then the oldest is forgotten for each that comes.
 */
final class RetiredKeys {

    static final int MOST = 1 << 16;
    private static final int FEWEST = 64;

    private int[] ring = new int[FEWEST];
    private int[] set = new int[FEWEST * 2];
    private int first;
    private int count;

    /** Keeps a key, which is not 0 and not in here. */
    void add(int key) {
        if (count == ring.length) {
            if (count < MOST) {
                grow();
            } else {
                forget(ring[first]);
                first = first + 1 & ring.length - 1;
                count--;
            }
        }
        ring[first + count++ & ring.length - 1] = key;
        put(key);
    }

    boolean contains(int key) {
        return set[slot(key)] == key;
    }

    private void put(int key) {
        set[slot(key)] = key;
    }

    /** Where the key is, or the empty slot where it would be. */
    private int slot(int key) {
        int mask = set.length - 1;
        int at = key & mask;
        while (set[at] != 0 && set[at] != key) {
            at = at + 1 & mask;
        }
        return at;
    }

    /** Takes a key out of the set; those behind it that may stand nearer to their place move up. */
    private void forget(int key) {
        int mask = set.length - 1;
        int hole = slot(key);
        int at = hole;
        while (true) {
            at = at + 1 & mask;
            int other = set[at];
            if (other == 0) {
                break;
            }
            int distance = at - other & mask;
            if (distance >= (at - hole & mask)) {
                set[hole] = other;
                hole = at;
            }
        }
        set[hole] = 0;
    }

    private void grow() {
        int[] old = ring;
        int start = first;
        ring = new int[old.length * 2];
        set = new int[ring.length * 2];
        first = 0;
        for (int i = 0; i < count; i++) {
            ring[i] = old[start + i & old.length - 1];
            put(ring[i]);
        }
    }
}
