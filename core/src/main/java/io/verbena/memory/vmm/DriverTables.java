package io.verbena.memory.vmm;

import org.jspecify.annotations.Nullable;

/**
 * What the driver of an RNIC keeps of one process: one copy of its segment table for all its queue pairs (Fig. 17, steps 604
 * and 610). It is registered for updates while at least one queue pair is open; without any, nothing is found.
 */
public final class DriverTables extends AddressView implements SegmentTableListener {

    private final Vmm vmm;
    private final Process process;
    private volatile SegmentTable copy = SegmentTable.EMPTY;
    private int queuePairs;
    private long updates;

    DriverTables(Vmm vmm, Process process) {
        this.vmm = vmm;
        this.process = process;
    }

    /** OpenQP: with the first one the VMM is asked for the table. Any thread. */
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

    /** How often the VMM has told a table. */
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
        return address < 0 ? null : copy.find(Addresses.upper(address));
    }

    @Override
    SegmentTable table() {
        return copy;
    }

    @Override
    public Process process() {
        return process;
    }

    @Override
    public long length() {
        return Addresses.EFFECTIVE_BYTES;
    }
}
