package io.verbena.messaging.ring;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Memory that a rank has allocated for its program. It is registered once, in a protection domain that all connections
 * have: a message in it needs no registration, and a rank that shares memory with this one copies the message from
 * where it is.
 *
 * <p>It is registered until the RNIC is closed, up to a number and a sum of bytes; what exceeds them is memory like any
 * other. The program may use the memory after that; the garbage collector frees it.
 *
 * <p>A rank that was sent a message from such memory can read all of it.
 */
public final class Allocations {

    /** Shorter memory has few messages that are not copied through rings, and would use up the number. */
    static final int LEAST_BYTES = 16 << 10;

    /** A connection has direct access to not many more regions. */
    static final int MOST = 32;

    private static final long MOST_BYTES = 1L << 30;
    private static final int ALIGNMENT = 4096;

    private final Optional<ProtectionDomain> domain;
    private volatile Allocation[] all = {};
    private long bytes;

    /**
     * Nothing is allocated.
     *
     * @param domain the domain of all connections; empty if each has its own, and memory is registered when it is used
     */
    public Allocations(Optional<ProtectionDomain> domain) {
        this.domain = domain;
    }

    /** The domain of all connections; empty if each has its own. */
    public Optional<ProtectionDomain> domain() {
        return domain;
    }

    /** Allocates zeroed memory, aligned to pages. */
    public synchronized MemorySegment allocate(long length) {
        if (domain.isPresent() && length >= LEAST_BYTES && all.length < MOST && length <= MOST_BYTES - bytes) {
            try {
                MemoryRegion region =
                        domain.get().allocateCollected(length, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ);
                Allocation[] more = Arrays.copyOf(all, all.length + 1);
                more[all.length] = new Allocation(region);
                all = more;
                bytes += length;
                return region.segment();
            } catch (IllegalStateException | VerbsException e) {
                // The RNIC has no region left: the memory is registered when it is used, or copied.
            }
        }
        return Arena.ofAuto().allocate(length, ALIGNMENT);
    }

    /** The registration of a message; null if it is not in such memory. */
    public @Nullable Registered at(MemorySegment memory, long offset, long length) {
        for (Allocation one : all) {
            if (one.contains(memory.address() + offset, length)) {
                return one;
            }
        }
        return null;
    }

    private static final class Allocation implements Registered {
        private final MemoryRegion region;
        private final long address;
        private final long length;

        Allocation(MemoryRegion region) {
            this.region = region;
            address = region.segment().address();
            length = region.length();
        }

        boolean contains(long from, long count) {
            return from >= address && from - address <= length - count && region.valid();
        }

        @Override
        public MemoryRegion region() {
            return region;
        }

        @Override
        public long offsetOf(MemorySegment memory, long offset) {
            return memory.address() + offset - address;
        }

        @Override
        public @Nullable MemorySegment bounce() {
            return null;
        }

        @Override
        public void release() {
            // It stays registered.
        }
    }
}
