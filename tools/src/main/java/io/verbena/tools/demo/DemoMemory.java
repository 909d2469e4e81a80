package io.verbena.tools.demo;

import io.verbena.tools.base.Failure;
import io.verbena.tools.text.Figures;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.RemoteRegion;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Registered memory as long as the file: plain memory up to 1 GiB, above that a temporary file that is mapped. An empty
 * file still gets one byte, which counts for nothing.
 */
final class DemoMemory implements AutoCloseable {

    static final long MOST_PLAIN_BYTES = 1L << 30;

    private final MemoryRegion region;
    private final long length;

    private DemoMemory(MemoryRegion region, long length) {
        this.region = region;
        this.length = length;
    }

    /** Memory that is filled by RDMA. */
    static DemoMemory allocate(ProtectionDomain pd, long length, Path folder, AccessRight... rights)
            throws IOException, Failure {
        if (length <= MOST_PLAIN_BYTES) {
            return new DemoMemory(pd.allocate(Math.max(1, length), rights), length);
        }
        long usable = Files.getFileStore(folder).getUsableSpace();
        if (usable < length) {
            throw new Failure("The folder " + folder + " has " + Figures.bytes(usable) + " free and "
                    + Figures.bytes(length) + " are needed; choose another folder with --temp");
        }
        Path file = Files.createTempFile(folder, "verbena-", ".tmp");
        try {
            return new DemoMemory(pd.map(file, 0, length, rights), length);
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** Memory of the caller. */
    static DemoMemory of(MemoryRegion region, long length) {
        return new DemoMemory(region, length);
    }

    /** The contents of a file. */
    static DemoMemory map(ProtectionDomain pd, Path file, long length) throws IOException {
        return new DemoMemory(length == 0 ? pd.allocate(1) : pd.map(file, 0, length), length);
    }

    MemoryRegion region() {
        return region;
    }

    long length() {
        return length;
    }

    /** Its beginning, at most this number of bytes; closing it closes all. */
    DemoMemory beginning(long bytes) {
        return new DemoMemory(region, Math.min(length, bytes));
    }

    RemoteRegion remote() {
        return region.remote(0, length);
    }

    MemorySegment segment() {
        return region.segment().asSlice(0, length);
    }

    @Override
    public void close() {
        region.close();
    }
}
