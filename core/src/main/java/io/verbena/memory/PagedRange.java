package io.verbena.memory;

import java.lang.foreign.MemorySegment;

/** What a region needs of pages that come and go; {@code vmm} has it. */
public abstract class PagedRange {

    /** Length in bytes. */
    public abstract long length();

    /** The lowest three bits of the place of its first byte: what is aligned for a peer is aligned here. */
    public abstract int lowestBits();

    /**
     * Whether an access is allowed by the tables.
     *
     * @param queuePair number of the queue pair whose work it is
     * @param rkey the key that a peer used; 0 for local work
     * @return OK (pages may be missing all the same), NO_RIGHT, NOT_MAPPED, or NOT_NOW while the error handler of the
     *     process is asked
     */
    public abstract Verdict check(long offset, long length, boolean write, int queuePair, int rkey);

    /** The same without asking the handler: for binds. */
    public abstract Verdict checkMapped(long offset, long length, boolean write);

    /** See {@link Region#copyIn}. */
    public abstract CopyResult copyIn(long offset, MemorySegment from, long fromOffset, int length);

    /** See {@link Region#copyOut}. */
    public abstract CopyResult copyOut(long offset, MemorySegment to, long toOffset, int length);

    /** The memory in which {@link #locateWord} may find a word. Several engines may ask at once. */
    public abstract MemorySegment memoryOf(long offset);

    /**
     * Where an aligned word is, for an atomic.
     *
     * @param memory what {@link #memoryOf} gave
     * @return its offset in that memory, or {@link #ABSENT} (also when it is in another memory by now) or {@link #GONE}
     */
    public abstract long locateWord(long offset, MemorySegment memory);

    /** This will be accessed soon: its first pages are asked for. */
    public abstract void expect(long offset, long length);

    /** The page is on its way. */
    public static final long ABSENT = -1;

    /** There is nothing, or it cannot be read. */
    public static final long GONE = -2;
}
