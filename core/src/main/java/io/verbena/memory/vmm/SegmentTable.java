package io.verbena.memory.vmm;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The segment table of a process. It never changes: a change makes another one, so nobody sees half of it. */
final class SegmentTable {

    static final SegmentTable EMPTY = new SegmentTable(new SegmentEntry[0]);

    private final @Nullable SegmentEntry[] entries;

    private SegmentTable(@Nullable SegmentEntry[] entries) {
        this.entries = entries;
    }

    /** The entry of a segment ID, or null if it is not valid. */
    @Nullable
    SegmentEntry find(int id) {
        @Nullable SegmentEntry[] all = entries;
        return id >= 0 && id < all.length ? all[id] : null;
    }

    /** With an entry added or changed. */
    SegmentTable with(SegmentEntry entry) {
        @Nullable SegmentEntry[] next = Arrays.copyOf(entries, Math.max(entries.length, entry.id() + 1));
        next[entry.id()] = entry;
        return new SegmentTable(next);
    }

    /** Without an entry. */
    SegmentTable without(int id) {
        @Nullable SegmentEntry[] next = entries.clone();
        next[id] = null;
        return new SegmentTable(next);
    }

    /** The lowest ID that is free, from 1: an address that was never set is mapped nowhere. */
    int freeId() {
        int id = 1;
        while (find(id) != null) {
            id++;
        }
        return id;
    }

    List<SegmentEntry> entries() {
        return Stream.of(entries).filter(Objects::nonNull).toList();
    }
}
