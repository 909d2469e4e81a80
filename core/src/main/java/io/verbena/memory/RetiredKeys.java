package io.verbena.memory;

import java.util.Arrays;

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

    private static final int PAGE_BITS = 6;
    private static final long[] NO_MARKS = {};

    /**
     * Thirty-two marks per word and generation: one generation in the lower half, one in the upper. Words are in pages that are made when
     * they are needed: thousands of RNICs of a simulation retire a few keys each, and all of them when they close.
     */
    private long[][] pages = {};

    /** Distance of the younger generation's marks from the right: 0 or 32. */
    private int younger;

    private int deaths;

    /** Keeps a key. */
    void add(int key) {
        if (pages.length == 0) {
            pages = new long[1 << MARK_BITS - 5 - PAGE_BITS][];
            Arrays.fill(pages, NO_MARKS);
        }
        if (deaths == GENERATION) {
            wipeOlder();
        }
        deaths++;
        int word = word(key);
        long[] page = pages[word >> PAGE_BITS];
        if (page.length == 0) {
            page = new long[1 << PAGE_BITS];
            pages[word >> PAGE_BITS] = page;
        }
        page[word & (1 << PAGE_BITS) - 1] |= mark(key) << younger;
    }

    /** Memory of the marks. */
    long bytes() {
        long bytes = (long) pages.length * Integer.BYTES;
        for (long[] page : pages) {
            bytes += (long) page.length * Long.BYTES;
        }
        return bytes;
    }

    /** True for each that died lately, and for some that did not: at most one in eight. */
    boolean mayContain(int key) {
        if (pages.length == 0) {
            return false;
        }
        int word = word(key);
        long[] page = pages[word >> PAGE_BITS];
        long mark = mark(key);
        return page.length > 0 && (page[word & (1 << PAGE_BITS) - 1] & (mark | mark << Integer.SIZE)) != 0;
    }

    private void wipeOlder() {
        long kept = LOWER_HALF << younger;
        for (long[] page : pages) {
            for (int i = 0; i < page.length; i++) {
                page[i] &= kept;
            }
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
