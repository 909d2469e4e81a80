package io.verbena.shm;

import io.verbena.base.SharedGrants;

/**
 * Memory of a region in a file of its own, which peers on this host may map to read payload from it. The file contains the
 * bytes of the region, whole pages, and one page more, which begins with the nonce and contains the {@link SharedGrants}. It is never used for another region: after
 * the region was released its bytes do not change any more, so that a peer that maps it reads what they were.
 */
public final class SharedBlock {

    /** Bytes of a page, of which the file has one more than the region. */
    public static final int PAGE_BYTES = 4096;

    /** Longest region in a block: what a buffer can show, in whole pages. */
    public static final int MOST_BYTES = 1 << 30;

    private final long address;
    private final int length;
    private final long process;
    private final int handle;
    private final long nonceHigh;
    private final long nonceLow;
    private volatile boolean released;

    /**
     * Describes memory of this process.
     *
     * @param address where it is mapped in this process
     * @param length bytes of the region
     * @param process identifies this process, for peers
     * @param handle identifies the file within this process
     * @param nonceHigh first half of what the last page begins with
     * @param nonceLow second half
     */
    public SharedBlock(long address, int length, long process, int handle, long nonceHigh, long nonceLow) {
        this.address = address;
        this.length = length;
        this.process = process;
        this.handle = handle;
        this.nonceHigh = nonceHigh;
        this.nonceLow = nonceLow;
    }

    /** Where the page with the nonce is in the file of a region of this many bytes. */
    public static int nonceAt(int length) {
        return length + PAGE_BYTES - 1 & -PAGE_BYTES;
    }

    /** Size of the file of a region of this many bytes. */
    public static int fileBytes(int length) {
        return nonceAt(length) + PAGE_BYTES;
    }

    /** Whether a region can have this many bytes. */
    public static boolean valid(int length) {
        return length > 0 && length <= MOST_BYTES;
    }

    /** Where it is mapped in this process. */
    public long address() {
        return address;
    }

    /** Bytes of the region. */
    public int length() {
        return length;
    }

    long process() {
        return process;
    }

    int handle() {
        return handle;
    }

    long nonceHigh() {
        return nonceHigh;
    }

    long nonceLow() {
        return nonceLow;
    }

    boolean contains(long from, int count) {
        return from >= address && from + count <= address + length;
    }

    /** Whether the region was released. */
    boolean released() {
        return released;
    }

    void release() {
        released = true;
    }
}
