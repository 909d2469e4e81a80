package io.verbena.memory.vmm;

import io.verbena.memory.Revocation;

/** A segment that is unmapped and waits to be given back. */
public final class Leaving {
    final VirtualSegment segment;
    final PageTable table;
    final boolean last;
    final Revocation revocation;

    Leaving(VirtualSegment segment, PageTable table, boolean last, Revocation revocation) {
        this.segment = segment;
        this.table = table;
        this.last = last;
        this.revocation = revocation;
    }

    /** What to wait for. */
    public Revocation revocation() {
        return revocation;
    }
}
