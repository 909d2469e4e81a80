package io.verbena.messaging.ring;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;

/**
 * Registered memory for copies of messages, used again for later messages of the same connection: to allocate and
 * register memory for each message takes longer than to copy it.
 */
public final class CopyMemory {

    /** Longest message whose memory is kept: a copy that is read at once should still be in a cache then. */
    public static final int MAX_BYTES = 256 << 10;

    private static final int MIN_BYTES = 32 << 10;
    private static final int MAX_SPARE = 8;

    private final ProtectionDomain domain;
    private final AccessRight[] rights;
    private final List<MemoryRegion> spare = new ArrayList<>();
    private boolean closed;

    /** Memory of a protection domain, with these rights. */
    public CopyMemory(ProtectionDomain domain, AccessRight... rights) {
        this.domain = domain;
        this.rights = rights;
    }

    /** Memory for a message; to be passed to {@link #recycle}. */
    public MemoryRegion take(long length) {
        for (int i = spare.size() - 1; i >= 0; i--) {
            if (spare.get(i).length() >= length) {
                return spare.remove(i);
            }
        }
        long bytes = length > MAX_BYTES ? length : Math.max(MIN_BYTES, Long.highestOneBit(2 * length - 1));
        return domain.allocate(bytes, rights);
    }

    /** Keeps memory for the next message; if there is much, the shortest is given up. */
    public void recycle(MemoryRegion region) {
        if (closed || region.length() > MAX_BYTES || !region.valid()) {
            region.close();
            return;
        }
        spare.add(region);
        if (spare.size() > MAX_SPARE) {
            int shortest = 0;
            for (int i = 1; i < spare.size(); i++) {
                if (spare.get(i).length() < spare.get(shortest).length()) {
                    shortest = i;
                }
            }
            spare.remove(shortest).close();
        }
    }

    /** The connection has ended. */
    public void close() {
        closed = true;
        spare.forEach(MemoryRegion::close);
        spare.clear();
    }
}
