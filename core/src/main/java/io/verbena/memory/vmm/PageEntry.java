package io.verbena.memory.vmm;

/**
 * A page table entry (Fig. 16 of the memory seed) as one 64-bit word, so that it is never half changed. The upper virtual
 * address and the page number are where it stands in its table.
 *
 * <pre>
 *   63          32 31           7    6          5      4       3      2        1     0
 *  | frame        | 0            | writable | failed | leaving | wanted | changed | used | valid |
 * </pre>
 *
 * Engines set used and changed in valid entries, by compare-and-set; everything else is done under the lock of the VMM.
 */
final class PageEntry {

    static final long NONE = 0;
    static final long VALID = 1;

    /** It was accessed since the clock's hand passed. */
    static final long USED = 2;

    /** It was written since it came. */
    static final long CHANGED = 4;

    /** Somebody waits for it. */
    static final long WANTED = 8;

    /** Its frame is being given up: its content must be in the file before it can come again. */
    static final long LEAVING = 16;

    /** It could not be brought in; who sees this first takes it away. */
    static final long FAILED = 32;

    /** Its protection: it can be written. */
    static final long WRITABLE = 64;

    private PageEntry() {}

    static int frame(long entry) {
        return (int) (entry >>> Integer.SIZE);
    }

    static long of(int frame, boolean writable) {
        return (long) frame << Integer.SIZE | VALID | (writable ? WRITABLE : 0);
    }

    static boolean has(long entry, long bits) {
        return (entry & bits) == bits;
    }
}
