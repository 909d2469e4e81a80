package io.verbena.hardware.provider;

import io.verbena.hardware.abi.IbvMr;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * Memory that an adapter may access. Peers and work address it by its virtual address, because not every adapter translates
 * another one.
 */
final class HardwareRegion implements MemoryRegion {

    /** Never started. */
    private static final Thread SOMEBODY_ELSE = Thread.ofPlatform().unstarted(() -> {});

    private static final int LOCAL_WRITE = 1;
    private static final int REMOTE_WRITE = 2;
    private static final int REMOTE_READ = 4;
    private static final int REMOTE_ATOMIC = 8;
    private static final int MW_BIND = 0x10;

    private final HardwareDomain domain;
    private final MemorySegment segment;
    private final Set<AccessRight> rights;
    private final Runnable free;
    private volatile long mr;
    private volatile int localKey;
    private volatile int remoteKey;
    private volatile boolean closed;

    /**
     * Registers memory.
     *
     * @param free frees the memory after it has been deregistered
     */
    HardwareRegion(HardwareDomain domain, MemorySegment segment, Set<AccessRight> rights, Runnable free) {
        this.domain = domain;
        this.segment = segment;
        this.rights = Set.copyOf(rights);
        this.free = free;
        use(register());
    }

    /**
     * Checks memory before the kernel pins it.
     *
     * @throws IllegalArgumentException if an adapter cannot access it with these rights
     */
    static void check(MemorySegment segment, Set<AccessRight> rights) {
        if (!segment.isNative() || !segment.isAccessibleBy(SOMEBODY_ELSE)) {
            throw new IllegalArgumentException(
                    "an adapter accesses memory outside of the heap that every thread may access; use Arena.ofShared()");
        }
        if (segment.byteSize() == 0) {
            throw new IllegalArgumentException("an empty segment cannot be registered");
        }
        if (!segment.scope().isAlive()) {
            throw new IllegalArgumentException("the arena of the segment is closed");
        }
        if (segment.isReadOnly() && rights.stream().anyMatch(HardwareRegion::writes)) {
            throw new IllegalArgumentException("the segment is read-only, so it cannot be registered with " + rights);
        }
    }

    private static boolean writes(AccessRight right) {
        return switch (right) {
            case LOCAL_WRITE, REMOTE_WRITE, REMOTE_ATOMIC -> true;
            case REMOTE_READ, BIND -> false;
        };
    }

    /** Checks that the memory exists before the kernel looks at its address, where the process may have something else by now. */
    void checkExists() {
        if (!segment.scope().isAlive()) {
            throw new VerbsException(
                    "The memory of the region is lost: the arena of the memory was closed while it was registered.");
        }
    }

    private long register() {
        long address = segment.address();
        return domain.libraries()
                .call(
                        NativeFunction.REG_MR,
                        domain.pd(),
                        address,
                        segment.byteSize(),
                        address,
                        bits(rights, domain.rnic().facts().iwarp()));
    }

    private void use(long registered) {
        localKey = Native.intAt(registered + IbvMr.LKEY);
        remoteKey = Native.intAt(registered + IbvMr.RKEY);
        mr = registered;
    }

    /**
     * The access flags of ibv_reg_mr. The right of a peer to write needs that of the adapter; on iWARP the sink of a Read is written by
     * the peer, so that memory for results of work grants both.
     */
    static int bits(Set<AccessRight> rights, boolean iwarp) {
        int bits = 0;
        for (AccessRight right : rights) {
            bits |= switch (right) {
                case LOCAL_WRITE -> LOCAL_WRITE | (iwarp ? REMOTE_WRITE : 0);
                case REMOTE_READ -> REMOTE_READ;
                case REMOTE_WRITE -> REMOTE_WRITE | LOCAL_WRITE;
                case REMOTE_ATOMIC -> REMOTE_ATOMIC | LOCAL_WRITE;
                case BIND -> MW_BIND;
            };
        }
        return bits;
    }

    /** Checks a range that work names, and returns its address. */
    long address(HardwareDomain of, long offset, long length) {
        if (domain != of) {
            throw new IllegalArgumentException("the region belongs to another protection domain than the queue");
        }
        if (offset < 0 || length < 0 || offset > segment.byteSize() - length) {
            throw new IllegalArgumentException("the range of " + length + " bytes at " + offset
                    + " is not within the region of " + segment.byteSize() + " bytes");
        }
        if (closed) {
            throw new IllegalStateException("the memory region is closed");
        }
        return segment.address() + offset;
    }

    static HardwareRegion of(MemoryRegion region) {
        if (region instanceof HardwareRegion hardwareRegion) {
            return hardwareRegion;
        }
        throw new IllegalArgumentException("the region belongs to another RNIC");
    }

    /** Its ibv_mr. */
    long mr() {
        return mr;
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    @Override
    public long length() {
        return segment.byteSize();
    }

    @Override
    public Set<AccessRight> rights() {
        return rights;
    }

    @Override
    public int localKey() {
        return localKey;
    }

    @Override
    public int rkey() {
        return remoteKey;
    }

    @Override
    public long address() {
        return segment.address();
    }

    @Override
    public boolean valid() {
        return !closed;
    }

    /** Registers the memory anew. Work that was posted with the old key fails: renew when none is outstanding. */
    @Override
    public synchronized int renewKey() {
        if (closed) {
            throw new IllegalStateException("the memory region is closed");
        }
        checkExists();
        long old = mr;
        domain.windows().forEach(each -> each.regionCloses(this));
        use(register());
        domain.libraries().call(NativeFunction.DEREG_MR, old);
        return remoteKey;
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        domain.windows().forEach(each -> each.regionCloses(this));
        domain.libraries().call(NativeFunction.DEREG_MR, mr);
        closed = true;
        domain.left();
        free.run();
    }
}
