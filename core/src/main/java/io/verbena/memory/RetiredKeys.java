package io.verbena.memory;

/**
 * The remote keys that were retired last, so that they are not reused soon: at least the last 65,536, at most twice as
 * many.
 *
 * <p>Each key sets a mark, selected by its upper bits. One mark may represent several keys, so a few unused keys are
 * considered retired too, and another random key is drawn. There are two generations of marks: when the younger one is
 * full, the older one is cleared and replaces it. So no search and no removal is needed.
 */
final class RetiredKeys {

    /** Deaths in a generation. */
    static final int GENERATION = 1 << 16;

    private static final int MARK_BITS = 20;
    private static final long LOWER_HALF = 0xffff_ffffL;

    /**
     * Thirty-two marks per word and generation: one generation in the lower half, one in the upper. Empty until the first key is
     * retired: there may be thousands of RNICs in a simulation.
     */
    private long[] marks = {};

    /** Distance of the younger generation's marks from the right: 0 or 32. */
    private int younger;

    private int deaths;

    /** Keeps a key. */
    void add(int key) {
        if (marks.length == 0) {
            marks = new long[1 << MARK_BITS - 5];
        }
        if (deaths == GENERATION) {
            wipeOlder();
        }
        deaths++;
        marks[word(key)] |= mark(key) << younger;
    }

    /** True for each that died lately, and for some that did not: at most one in eight. */
    boolean mayContain(int key) {
        if (marks.length == 0) {
            return false;
        }
        long mark = mark(key);
        return (marks[word(key)] & (mark | mark << Integer.SIZE)) != 0;
    }

    private void wipeOlder() {
        long kept = LOWER_HALF << younger;
        for (int i = 0; i < marks.length; i++) {
            marks[i] &= kept;
        }
        younger ^= Integer.SIZE;
        deaths = 0;
    }

    private static int word(int key) {
        return key >>> Integer.SIZE - MARK_BITS + 5;
    }

    private static long mark(int key) {
        return 1L << (key >>> Integer.SIZE - MARK_BITS & 31);
    }
}
