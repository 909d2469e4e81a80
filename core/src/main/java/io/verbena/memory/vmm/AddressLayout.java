package io.verbena.memory.vmm;

/**
 * Layout of addresses.
 *
 * <pre>
 *   effective | segment ID 16            | page number | page offset |
 *   virtual   | upper virtual address 22 | page number | page offset |
 *                                       40             s             0
 * </pre>
 */
public final class AddressLayout {

    /** Where the segment begins in an address: a segment has at most 1 TiB. */
    public static final int SEGMENT_SHIFT = 40;

    /** Longest segment in bytes. */
    public static final long MOST_SEGMENT_BYTES = 1L << SEGMENT_SHIFT;

    /** Largest effective segment ID. */
    public static final int MOST_SEGMENT_ID = (1 << 16) - 1;

    /** Bytes of an effective address space. */
    public static final long EFFECTIVE_BYTES = 1L << 56;

    /** Bytes of a virtual address space. */
    public static final long VIRTUAL_BYTES = 1L << 62;

    private static final long WITHIN = MOST_SEGMENT_BYTES - 1;

    private AddressLayout() {}

    /** Segment ID or upper virtual address. */
    public static int upper(long address) {
        return (int) (address >>> SEGMENT_SHIFT);
    }

    /** Byte within the segment. */
    public static long within(long address) {
        return address & WITHIN;
    }

    /** Number of pages of 2^pageShift bytes that contain this many bytes. */
    static long pagesOf(long bytes, int pageShift) {
        return bytes + (1L << pageShift) - 1 >>> pageShift;
    }

    /** The address of the first byte of a segment. */
    public static long of(int upper) {
        return (long) upper << SEGMENT_SHIFT;
    }
}
