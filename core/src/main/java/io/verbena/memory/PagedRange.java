package io.verbena.memory;

import java.lang.foreign.MemorySegment;

/** Access of a region to pageable memory; implemented by {@code vmm}. */
public abstract class PagedRange {

    /** Length in bytes. */
    public abstract long length();

    /** The lowest three bits of the place of its first byte: what is aligned for a peer is aligned here. */
    public abstract int lowestBits();

    /**
     * Whether the tables permit an access.
     *
     * @param queuePair number of the queue pair that executes the work
     * @param rkey key used by a peer; 0 for local work
     * @return OK (pages may still be missing), NO_RIGHT, NOT_MAPPED, or NOT_NOW while the page fault handler of the
     *     process decides
     */
    public abstract Verdict check(long offset, long length, boolean write, int queuePair, int rkey);

    /** The same without asking the handler: for binds. */
    public abstract Verdict checkMapped(long offset, long length, boolean write);

    /** See {@link Region#copyIn}. */
    public abstract CopyResult copyIn(long offset, MemorySegment from, long fromOffset, int length);

    /** See {@link Region#copyOut}. */
    public abstract CopyResult copyOut(long offset, MemorySegment to, long toOffset, int length);

    /** The memory in which {@link #locateWord} may find a word. Several engines may call at once. */
    public abstract MemorySegment memoryOf(long offset);

    /**
     * The location of an aligned word, for an atomic.
     *
     * @param memory the result of {@link #memoryOf}
     * @return the offset in that memory, or {@link #ABSENT} (also if the word is in another memory now) or
     *     {@link #GONE}
     */
    public abstract long locateWord(long offset, MemorySegment memory);

    /** The range will be accessed soon: its first pages are requested. */
    public abstract void expect(long offset, long length);

    /** The page is missing and was requested. */
    public static final long ABSENT = -1;

    /** There is nothing, or it cannot be read. */
    public static final long GONE = -2;
}
