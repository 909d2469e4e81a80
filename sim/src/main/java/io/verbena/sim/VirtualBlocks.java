package io.verbena.sim;

import io.verbena.base.SharedGrants;
import io.verbena.memory.Backing;
import io.verbena.memory.MemoryProvider;
import io.verbena.memory.OffHeapMemory;
import io.verbena.shm.BlockTable;
import io.verbena.shm.SharedBlock;
import io.verbena.shm.SharedBlocks;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/** The regions of all hosts of a World that is one machine: each can read and write those of the others. */
final class VirtualBlocks implements MemoryProvider, SharedBlocks {

    private final MemoryProvider plain = new OffHeapMemory();
    private final BlockTable table = new BlockTable();
    private final Map<Integer, File> files = new HashMap<>();
    private final LongSupplier clock;
    private int lastHandle;

    private record File(MemorySegment region, MemorySegment page) {}

    VirtualBlocks(LongSupplier clock) {
        this.clock = clock;
    }

    @Override
    public BlockTable table() {
        return table;
    }

    @Override
    public Backing allocate(long bytes) {
        return shared(plain.allocate(bytes), bytes);
    }

    @Override
    public Backing allocateCollected(long bytes) {
        return shared(plain.allocateCollected(bytes), bytes);
    }

    private Backing shared(Backing backing, long bytes) {
        if (bytes > SharedBlock.MOST_BYTES) {
            return backing;
        }
        int handle = ++lastHandle;
        SharedBlock block = new SharedBlock(backing.segment().address(), (int) bytes, 1, handle, handle, bytes);
        MemorySegment page = Arena.ofAuto().allocate(SharedGrants.PAGE_BYTES, SharedGrants.PAGE_BYTES);
        files.put(handle, new File(backing.segment(), page));
        table.add(block);
        Runnable release = () -> {
            table.release(block);
            files.remove(handle); // peers that have it open keep the memory, as that of a file
        };
        return new Backing(backing.segment(), false, true, release, Optional.of(new SharedGrants(page, clock)));
    }

    private File file(int handle, int length, long nonceHigh, long nonceLow) throws IOException {
        File file = files.get(handle);
        if (file == null || file.region.byteSize() != length || nonceHigh != handle || nonceLow != length) {
            throw new IOException("no process has a region " + handle + " of " + length + " bytes");
        }
        return file;
    }

    @Override
    public Shared openShared(long process, int handle, int length, long nonceHigh, long nonceLow) throws IOException {
        File file = file(handle, length, nonceHigh, nonceLow);
        return new Shared() {
            @Override
            public MemorySegment region() {
                return file.region;
            }

            @Override
            public MemorySegment page() {
                return file.page;
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public Opened open(long process, int handle, int length, long nonceHigh, long nonceLow) throws IOException {
        ByteBuffer bytes =
                file(handle, length, nonceHigh, nonceLow).region.asByteBuffer().asReadOnlyBuffer();
        return new Opened() {
            @Override
            public ByteBuffer bytes() {
                return bytes;
            }

            @Override
            public void close() {}
        };
    }
}
