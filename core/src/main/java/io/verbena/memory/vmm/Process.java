package io.verbena.memory.vmm;

import java.util.ArrayList;
import java.util.List;

/**
 * A consumer process from the view of the VMM: its segment table, the drivers that have a copy of it, and its limits.
 */
public final class Process {

    private final String name;
    private final boolean kernel;
    private final long mostBytes;
    private final FrameAllowance frames;
    private final UnmappedAccesses unmapped = new UnmappedAccesses();
    private final List<SegmentTableListener> drivers = new ArrayList<>();
    private volatile SegmentTable table = SegmentTable.EMPTY;
    private long mappedBytes;

    Process(String name, boolean kernel, long mostBytes, int maxFrames) {
        this.name = name;
        this.kernel = kernel;
        this.mostBytes = mostBytes;
        frames = new FrameAllowance(maxFrames);
    }

    public String name() {
        return name;
    }

    /** Whether the process may use virtual addresses. */
    public boolean kernel() {
        return kernel;
    }

    /** Accesses to what it has not mapped. */
    public UnmappedAccesses unmapped() {
        return unmapped;
    }

    SegmentTable table() {
        return table;
    }

    // Under the lock of the VMM.

    long mappedBytes() {
        return mappedBytes;
    }

    FrameAllowance frames() {
        return frames;
    }

    void checkRoom(long bytes) {
        if (mappedBytes + bytes > mostBytes) {
            throw new IllegalStateException("the address space '" + name + "' may map " + mostBytes + " bytes and has "
                    + mappedBytes + " already; unmap segments first, or raise the limit");
        }
    }

    /** The segment ID for a new segment: the requested one, or the lowest free one. */
    int idFor(int wanted) {
        if (wanted != SegmentTable.ANY_ID) {
            if (wanted < 0 || wanted > AddressLayout.MOST_SEGMENT_ID) {
                throw new IllegalArgumentException(
                        "the segment ID must be 1 to " + AddressLayout.MOST_SEGMENT_ID + ", not " + wanted);
            }
            if (table.find(wanted) != null) {
                throw new IllegalStateException("segment " + wanted + " of the address space '" + name
                        + "' is mapped already; grow or unmap it");
            }
            return wanted;
        }
        int id = table.freeId();
        if (id > AddressLayout.MOST_SEGMENT_ID) {
            throw new IllegalStateException("all " + AddressLayout.MOST_SEGMENT_ID
                    + " segment IDs of the address space '" + name + "' are in use; unmap some first");
        }
        return id;
    }

    void account(long bytes) {
        mappedBytes += bytes;
    }

    void update(SegmentTable next) {
        table = next;
        for (SegmentTableListener driver : drivers) {
            driver.segmentTableUpdate(next);
        }
    }

    void register(SegmentTableListener driver) {
        drivers.add(driver);
        driver.segmentTableUpdate(table);
    }

    void unregister(SegmentTableListener driver) {
        drivers.remove(driver);
    }

    int drivers() {
        return drivers.size();
    }
}
