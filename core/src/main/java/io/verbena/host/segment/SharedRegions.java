package io.verbena.host.segment;

import io.verbena.base.RandomSource;
import io.verbena.base.SharedGrants;
import io.verbena.host.system.FileMapping;
import io.verbena.host.system.Linux;
import io.verbena.host.system.Machine;
import io.verbena.memory.Backing;
import io.verbena.memory.MemoryProvider;
import io.verbena.memory.OffHeapMemory;
import io.verbena.shm.BlockTable;
import io.verbena.shm.SharedBlock;
import io.verbena.shm.SharedBlocks;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory of larger regions as files without a name whose size is sealed, so that a peer of the same user can map it for reading.
 * Regions are ordinary memory if they are small, if they would exceed the bounds, or if the system has no such files.
 *
 * <p>Like {@link OffHeapMemory}, it leaves the unmapping of smaller regions to the garbage collector, because closing a shared
 * arena stops all threads. Their descriptors are closed at once.
 */
public class SharedRegions implements MemoryProvider, SharedBlocks {

    /** Regions of fewer bytes are not shared. */
    static final int LEAST_BYTES = 64 * 1024;

    /** Each needs a file descriptor. */
    private static final int MOST_BLOCKS = 256;

    /** Mappings, also of small regions that were closed and that the garbage collector has not found yet. */
    private static final int MOST_MAPPINGS = 4096;

    static final String NAME = "verbena-region";

    private final BlockTable table = new BlockTable();
    private final MemoryProvider plain = new OffHeapMemory();
    private final RandomSource random;
    private final boolean shares;
    private final int leastBytes;
    private final AtomicInteger mappings = new AtomicInteger();
    private final AtomicLong used = new AtomicLong();
    private final long mostBytes = Runtime.getRuntime().maxMemory();

    /**
     * Without regions at first.
     *
     * @param shares whether regions are shared at all
     */
    public SharedRegions(RandomSource random, boolean shares) {
        this(random, shares, LEAST_BYTES);
    }

    /** The same with regions of at least this length. */
    SharedRegions(RandomSource random, boolean shares, int leastBytes) {
        this.random = random;
        this.leastBytes = leastBytes;
        this.shares = shares && Machine.obstacleToLinux().isEmpty();
    }

    @Override
    public BlockTable table() {
        return table;
    }

    // Regions of this process.

    @Override
    public Backing allocate(long bytes) {
        return shared(bytes, bytes < OffHeapMemory.FREED_AT_ONCE_BYTES).orElseGet(() -> plain.allocate(bytes));
    }

    @Override
    public Backing allocateCollected(long bytes) {
        return shared(bytes, true).orElseGet(() -> plain.allocateCollected(bytes));
    }

    /** Empty if the region is to be ordinary memory. */
    private Optional<Backing> shared(long bytes, boolean collected) {
        if (!shares || bytes < leastBytes || bytes > SharedBlock.MOST_BYTES || table.size() >= MOST_BLOCKS) {
            return Optional.empty();
        }
        int fileBytes = SharedBlock.fileBytes((int) bytes);
        if (!reserve(fileBytes)) {
            return Optional.empty();
        }
        try {
            return Optional.of(shared((int) bytes, fileBytes, collected));
        } catch (IOException e) {
            unreserve(fileBytes);
            return Optional.empty();
        }
    }

    private boolean reserve(int fileBytes) {
        if (mappings.incrementAndGet() > MOST_MAPPINGS) {
            mappings.decrementAndGet();
            return false;
        }
        if (used.addAndGet(fileBytes) > mostBytes) {
            unreserve(fileBytes);
            return false;
        }
        return true;
    }

    private void unreserve(int fileBytes) {
        used.addAndGet(-fileBytes);
        mappings.decrementAndGet();
    }

    private Backing shared(int bytes, int fileBytes, boolean collected) throws IOException {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment state = Linux.newState(call);
            int fd = (int) FileMapping.check(Linux.memoryFile(state, call.allocateFrom(NAME)), "memfd_create");
            boolean done = false;
            try {
                FileMapping.allocate(state, fd, fileBytes);
                FileMapping.check(Linux.sealSize(state, fd), "fcntl");
                Backing backing = map(fd, bytes, fileBytes, collected);
                done = true;
                return backing;
            } finally {
                if (!done) {
                    Linux.close(state, fd);
                }
            }
        }
    }

    private Backing map(int fd, int bytes, int fileBytes, boolean collected) throws IOException {
        Arena arena = collected ? Arena.ofAuto() : Arena.ofShared();
        MemorySegment memory;
        try {
            memory = FileMapping.map(fd, fileBytes, true, arena, () -> unreserve(fileBytes));
        } catch (IOException e) {
            if (!collected) {
                arena.close();
            }
            throw e;
        }
        long high = random.nextLong();
        long low = random.nextLong();
        MemorySegment last = memory.asSlice(SharedBlock.nonceAt(bytes));
        last.set(ValueLayout.JAVA_LONG, 0, high);
        last.set(ValueLayout.JAVA_LONG, Long.BYTES, low);
        SharedBlock block =
                new SharedBlock(memory.address(), bytes, ProcessHandle.current().pid(), fd, high, low);
        table.add(block);
        Runnable unmap = collected ? () -> {} : arena::close;
        SharedGrants grants = new SharedGrants(last, System::nanoTime);
        return new Backing(
                memory.asSlice(0, bytes),
                false,
                true,
                () -> {
                    grants.close();
                    release(block, fd, unmap);
                },
                Optional.of(grants));
    }

    /** The memory remains as long as a peer has it open, and does not change any more. */
    private void release(SharedBlock block, int fd, Runnable unmap) {
        table.release(block);
        try (Arena call = Arena.ofConfined()) {
            Linux.close(Linux.newState(call), fd);
        }
        unmap.run();
    }

    // Regions of peers.

    @Override
    public Opened open(long process, int handle, int length, long nonceHigh, long nonceLow) throws IOException {
        return PeerRegions.open(process, handle, length, nonceHigh, nonceLow);
    }

    @Override
    public Shared openShared(long process, int handle, int length, long nonceHigh, long nonceLow) throws IOException {
        return PeerRegions.openShared(process, handle, length, nonceHigh, nonceLow);
    }
}
