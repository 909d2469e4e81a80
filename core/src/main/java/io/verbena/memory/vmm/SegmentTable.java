package io.verbena.memory.vmm;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The segment table of a process. Immutable: a change creates a new table, so that readers never see a partial change.
 */
final class SegmentTable {

    /** No particular segment ID: the lowest that is free. */
    static final int ANY_ID = 0;

    static final SegmentTable EMPTY = new SegmentTable(new SegmentEntry[0]);

    private final @Nullable SegmentEntry[] entries;

    private SegmentTable(@Nullable SegmentEntry[] entries) {
        this.entries = entries;
    }

    /** The entry of a segment ID, or null if there is none. */
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

    /** The lowest free ID, from 1, so that address 0 is never mapped. */
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
