package io.verbena.memory.vmm;

/** The driver of an RNIC, from the view of the VMM. */
interface SegmentTableListener {

    /** SegmentTableUpdate: an entry was added, deleted or changed; this is the table now. */
    void segmentTableUpdate(SegmentTable table);
}
