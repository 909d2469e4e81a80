package io.verbena.tools.files;

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

/** Files that are read through a pool of page frames: none of them need fit in memory. An address space a connection. */
public final class PagedExports {

    private final VirtualMemory memory;
    private final Map<MemoryRegion, AddressSpace> spaces = new ConcurrentHashMap<>();

    public PagedExports(VirtualMemory memory) {
        this.memory = memory;
    }

    /** Registers a file for the peer of one connection to read. */
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

    /** The region is closed: its frames are free for others. */
    void closed(MemoryRegion region) {
        AddressSpace space = spaces.remove(region);
        if (space != null) {
            try {
                space.close();
            } catch (IOException e) {
                return; // nothing was changed, so nothing is lost
            }
        }
    }
}
