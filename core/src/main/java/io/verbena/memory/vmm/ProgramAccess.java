package io.verbena.memory.vmm;

import io.verbena.memory.CopyResult;
import io.verbena.memory.EngineEpoch;
import io.verbena.memory.Verdict;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Accesses of the program itself, which count as one more engine for revocations. One at a time. */
public final class ProgramAccess {

    private final Vmm vmm;
    private final EngineEpoch epoch = new EngineEpoch();

    public ProgramAccess(Vmm vmm) {
        this.vmm = vmm;
        vmm.observers().addEngine(epoch);
    }

    /** How an access of a program went. */
    public enum Outcome {
        DONE,
        /** Missing pages were requested. */
        NOT_NOW,
        NOT_MAPPED,
        NOT_WRITABLE,
        LOST
    }

    /** Copies within one page from or to memory of a process. */
    public synchronized Outcome copy(
            Process process, long address, MemorySegment other, long offset, int bytes, boolean write) {
        epoch.enter();
        try {
            AddressRange range = vmm.range(new Own(process), address, bytes);
            Verdict verdict = range.checkMapped(0, bytes, write);
            if (!verdict.ok()) {
                return verdict == Verdict.NO_RIGHT ? Outcome.NOT_WRITABLE : Outcome.NOT_MAPPED;
            }
            CopyResult result = write ? range.copyIn(0, other, offset, bytes) : range.copyOut(0, other, offset, bytes);
            return switch (result) {
                case DONE -> Outcome.DONE;
                case NOT_NOW -> Outcome.NOT_NOW;
                case LOST -> Outcome.LOST;
            };
        } finally {
            epoch.leave();
        }
    }

    /** A program sees its own segment table. */
    private static final class Own extends AddressView {
        private final Process process;

        Own(Process process) {
            this.process = process;
        }

        @Override
        @Nullable
        SegmentEntry find(long address) {
            return address < 0 ? null : process.table().find(AddressLayout.upper(address));
        }

        @Override
        SegmentTable table() {
            return process.table();
        }

        @Override
        UnmappedAccesses unmapped() {
            return process.unmapped();
        }

        @Override
        public long length() {
            return AddressLayout.EFFECTIVE_BYTES;
        }
    }
}
