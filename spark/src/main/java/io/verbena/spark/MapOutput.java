package io.verbena.spark;

import io.verbena.verbs.MemoryRegion;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The output of a map task, readable by peers.
 *
 * @param region what it is a part of; empty if it has no bytes
 * @param base its offset in the region
 * @param offsets of the partitions in it, and its length; the array is shared
 */
record MapOutput(Optional<MemoryRegion> region, long base, long[] offsets) {

    /** Offset of a partition in the output, or the length of the output after the last one. */
    long offset(int partition) throws IOException {
        if (partition < 0 || partition >= offsets.length) {
            throw new IOException("partition " + partition + " does not exist: there are " + (offsets.length - 1));
        }
        return offsets[partition];
    }

    /** Where a peer finds all of it. */
    RemoteOutput remote() {
        return region.map(all -> new RemoteOutput(all.remote().address() + base, all.rkey(), offsets))
                .orElse(new RemoteOutput(0, 0, offsets));
    }

    /** Copies a range of the output, which is not empty. */
    void copy(long offset, long length, MemorySegment to, long position) {
        MemorySegment.copy(region.orElseThrow().segment(), base + offset, to, position, length);
    }
}
