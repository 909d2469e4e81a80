package io.verbena.files.store;

import static io.verbena.verbs.AccessRight.REMOTE_READ;

import io.verbena.verbs.AddressSegment;
import io.verbena.verbs.AddressSpace;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.VirtualMemory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Files that are read through a pool of page frames, so that they can be larger than memory. Each connection has its own address space. */
public final class PagedExports {

    private final VirtualMemory memory;
    private final Map<MemoryRegion, AddressSpace> spaces = new ConcurrentHashMap<>();

    /** Uses the frames of this virtual memory. */
    public PagedExports(VirtualMemory memory) {
        this.memory = memory;
    }

    /** Registers a file for remote reads by the peer of one connection. */
    MemoryRegion register(ProtectionDomain pd, String name, Path file, long bytes) throws IOException {
        AddressSpace space = memory.createAddressSpace(name);
        try {
            AddressSegment segment = space.mapFile(file, 0, bytes, false);
            MemoryRegion region = pd.register(segment, 0, bytes, REMOTE_READ);
            spaces.put(region, space);
            return region;
        } catch (IOException | RuntimeException e) {
            space.close();
            throw e;
        }
    }

    /** Releases the frames of a closed region. */
    void closed(MemoryRegion region) {
        AddressSpace space = spaces.remove(region);
        if (space != null) {
            try {
                space.close();
            } catch (IOException e) {
                return; // the file was only read, so nothing is lost
            }
        }
    }
}
