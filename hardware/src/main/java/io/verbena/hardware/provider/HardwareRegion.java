package io.verbena.hardware.provider;

import io.verbena.hardware.abi.IbvMr;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.objects.NamedRegion;
import io.verbena.objects.Ownership;
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
final class HardwareRegion implements NamedRegion {

    private static final int LOCAL_WRITE = 1;
    private static final int REMOTE_WRITE = 2;
    private static final int REMOTE_READ = 4;
    private static final int REMOTE_ATOMIC = 8;
    private static final int MW_BIND = 0x10;

    private final AdapterDomain domain;
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
    HardwareRegion(AdapterDomain domain, MemorySegment segment, Set<AccessRight> rights, Runnable free) {
        this.domain = domain;
        this.segment = segment;
        this.rights = Set.copyOf(rights);
        this.free = free;
        use(register());
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

    /** A region that the program names, which must be of this domain and open. */
    static HardwareRegion of(MemoryRegion region, AdapterDomain domain) {
        if (!(region instanceof HardwareRegion hardwareRegion)) {
            throw Ownership.foreign("memory region");
        }
        Ownership.check("memory region", hardwareRegion.domain == domain, hardwareRegion.closed);
        return hardwareRegion;
    }

    @Override
    public boolean closed() {
        return closed;
    }

    @Override
    public void copyInline(long offset, MemorySegment to, long at, int length) {
        MemorySegment.copy(segment, offset, to, at, length);
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
        return !closed && !domain.rnic().closed();
    }

    /** Registers the memory anew. Work that was posted with the old key fails: renew when none is outstanding. */
    @Override
    public synchronized int renewKey() {
        if (closed) {
            throw new IllegalStateException("the memory region is closed");
        }
        checkExists();
        long old = mr;
        domain.freeWindowsOf(this);
        use(register());
        domain.libraries().call(NativeFunction.DEREG_MR, old);
        return remoteKey;
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        domain.freeWindowsOf(this);
        domain.libraries().call(NativeFunction.DEREG_MR, mr);
        closed = true;
        domain.left();
        free.run();
    }
}
