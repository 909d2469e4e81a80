package io.verbena.memory.vmm;

import io.verbena.verbs.Translation;

/** The translation of an address, step by step, for people. */
final class TableWalk {

    private TableWalk() {}

    static Translation of(Process process, long address, int pageShift, FramePool pool) {
        int id = address < 0 ? -1 : AddressLayout.upper(address);
        long within = AddressLayout.within(address);
        long page = within >>> pageShift;
        int offset = (int) (within & (1L << pageShift) - 1);
        SegmentEntry entry = process.table().find(id);
        if (entry == null) {
            return new Translation(
                    address, id, page, offset, false, 0, false, 0, 0, false, false, false, false, 0, 0, false);
        }
        boolean pinned = !entry.segment().pageable();
        long seen =
                pinned ? PageEntry.VALID | PageEntry.WRITABLE : entry.table().get(page);
        boolean valid = PageEntry.has(seen, PageEntry.VALID);
        int frame = pinned ? (int) page : valid ? PageEntry.frame(seen) : 0;
        int upper = entry.segment().upper();
        return new Translation(
                address,
                id,
                page,
                offset,
                true,
                entry.length(),
                entry.writable(),
                upper,
                AddressLayout.of(upper) | within,
                valid,
                PageEntry.has(seen, PageEntry.WRITABLE),
                PageEntry.has(seen, PageEntry.USED),
                PageEntry.has(seen, PageEntry.CHANGED),
                frame,
                valid ? pool.offset(frame) + offset : 0,
                pinned);
    }
}
