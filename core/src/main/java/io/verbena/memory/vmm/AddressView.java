package io.verbena.memory.vmm;

import org.jspecify.annotations.Nullable;

/** How addresses of one kind are found: effective ones of a process, or virtual ones. */
public abstract class AddressView {

    AddressView() {}

    /** The entry of the segment that an address is in, or null if nothing is mapped there; one load of the table. */
    @Nullable
    abstract SegmentEntry find(long address);

    /** The table in which it looks now. */
    abstract SegmentTable table();

    /** The process on whose behalf it is looked. */
    public abstract Process process();

    /** Bytes that can be named. */
    public abstract long length();
}
