package io.verbena.memory.vmm;

/**
 * A page table entry as one 64-bit word, so that it is updated atomically. The upper virtual address and the page
 * number are implied by its position in the table.
 *
 * <pre>
 *   63          32 31           7    6          5      4       3      2        1     0
 *  | frame        | 0            | writable | failed | leaving | wanted | changed | used | valid |
 * </pre>
 *
 * Engines set used and changed in valid entries, by compare-and-set; all other changes are made under the lock of the
 * VMM.
 */
final class PageEntry {

    static final long NONE = 0;
    static final long VALID = 1;

    /** The page was accessed since the last pass of the clock hand. */
    static final long USED = 2;

    /** The page was written since it was read. */
    static final long CHANGED = 4;

    /** An access waits for the page. */
    static final long WANTED = 8;

    /** The frame is being released: its content must be in the file before the page can be read again. */
    static final long LEAVING = 16;

    /** The page could not be read. The first reader of this flag clears it. */
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
