package io.verbena.memory.vmm;

import org.jspecify.annotations.Nullable;

/** Lookup of addresses of one kind: effective addresses of a process, or virtual addresses. */
public abstract class AddressView {

    AddressView() {}

    /** The entry of the segment that an address is in, or null if nothing is mapped there; one load of the table. */
    @Nullable
    abstract SegmentEntry find(long address);

    /** The table used for the lookup now. */
    abstract SegmentTable table();

    /** Where accesses to addresses that are not mapped wait for a decision. */
    abstract UnmappedAccesses unmapped();

    /** Bytes that can be named. */
    public abstract long length();
}
