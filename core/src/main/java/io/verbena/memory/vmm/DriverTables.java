package io.verbena.memory.vmm;

import org.jspecify.annotations.Nullable;

/**
 * The tables that the driver of an RNIC keeps for one process: one copy of its segment table for all its queue pairs.
 * The driver is registered for updates while at least one queue pair is open; otherwise nothing is found.
 */
public final class DriverTables extends AddressView implements SegmentTableListener {

    private final Vmm vmm;
    private final Process process;
    private volatile SegmentTable copy = SegmentTable.EMPTY;
    private int queuePairs;
    private long updates;

    public DriverTables(Vmm vmm, Process process) {
        this.vmm = vmm;
        this.process = process;
    }

    /** OpenQP: the first queue pair requests the table from the VMM. Any thread. */
    public synchronized void openQueuePair() {
        if (queuePairs++ == 0) {
            vmm.register(process, this);
        }
    }

    /** A queue pair was destroyed: with the last one the table is given back. */
    public synchronized void closeQueuePair() {
        if (--queuePairs == 0) {
            vmm.unregister(process, this);
            copy = SegmentTable.EMPTY;
        }
    }

    /** Queue pairs that are open. */
    public synchronized int queuePairs() {
        return queuePairs;
    }

    /** Number of tables received from the VMM. */
    public long updates() {
        return updates;
    }

    @Override
    @SuppressWarnings("NonAtomicOperationOnVolatileField")
    public void segmentTableUpdate(SegmentTable table) {
        updates++;
        copy = table;
    }

    @Override
    @Nullable
    SegmentEntry find(long address) {
        return address < 0 ? null : copy.find(AddressLayout.upper(address));
    }

    @Override
    SegmentTable table() {
        return copy;
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
