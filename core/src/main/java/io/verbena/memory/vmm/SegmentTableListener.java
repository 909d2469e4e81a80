package io.verbena.memory.vmm;

/** An RNIC's driver as the VMM knows it. */
interface SegmentTableListener {

    /** SegmentTableUpdate: an entry was added, deleted or changed; this is the table now. */
    void segmentTableUpdate(SegmentTable table);
}
