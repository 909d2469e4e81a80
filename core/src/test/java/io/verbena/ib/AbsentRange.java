package io.verbena.ib;

import io.verbena.memory.CopyResult;
import io.verbena.memory.PagedRange;
import io.verbena.memory.Verdict;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Memory of which only the beginning is present; the test decides when the rest arrives. */
final class AbsentRange extends PagedRange {

    private final MemorySegment memory;
    private long presentBytes;

    AbsentRange(int lengthBytes, long presentBytes) {
        memory = Arena.ofAuto().allocate(lengthBytes);
        this.presentBytes = presentBytes;
    }

    /** The rest has arrived. */
    void arrive() {
        presentBytes = memory.byteSize();
    }

    @Override
    public long length() {
        return memory.byteSize();
    }

    @Override
    public int lowestBits() {
        return 0;
    }

    @Override
    public Verdict check(long offset, long length, boolean write, int queuePair, int rkey) {
        return Verdict.OK;
    }

    @Override
    public Verdict checkMapped(long offset, long length, boolean write) {
        return Verdict.OK;
    }

    @Override
    public CopyResult copyIn(long offset, MemorySegment from, long fromOffset, int length) {
        return copy(from, fromOffset, memory, offset, offset + length, length);
    }

    @Override
    public CopyResult copyOut(long offset, MemorySegment to, long toOffset, int length) {
        return copy(memory, offset, to, toOffset, offset + length, length);
    }

    private CopyResult copy(
            MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long endOffset, int length) {
        if (endOffset > presentBytes) {
            return CopyResult.NOT_NOW;
        }
        MemorySegment.copy(from, fromOffset, to, toOffset, length);
        return CopyResult.DONE;
    }

    @Override
    public MemorySegment memoryOf(long offset) {
        return memory;
    }

    @Override
    public long locateWord(long offset, MemorySegment in) {
        return offset + Long.BYTES > presentBytes ? ABSENT : offset;
    }

    @Override
    public void expect(long offset, long length) {}
}
