package io.verbena.sim;

import io.verbena.memory.Backing;
import io.verbena.memory.MemoryProvider;
import io.verbena.memory.OffHeapMemory;
import io.verbena.shm.BlockTable;
import io.verbena.shm.SharedBlock;
import io.verbena.shm.SharedBlocks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/** The regions of all hosts of a World that is one machine: each can read those of the others. */
final class VirtualBlocks implements MemoryProvider, SharedBlocks {

    private final MemoryProvider plain = new OffHeapMemory();
    private final BlockTable table = new BlockTable();
    private final Map<Integer, ByteBuffer> files = new HashMap<>();
    private int lastHandle;

    @Override
    public BlockTable table() {
        return table;
    }

    @Override
    public Backing allocate(long bytes) {
        Backing backing = plain.allocate(bytes);
        if (bytes > SharedBlock.MOST_BYTES) {
            return backing;
        }
        int handle = ++lastHandle;
        SharedBlock block = new SharedBlock(backing.segment().address(), (int) bytes, 1, handle, handle, bytes);
        files.put(handle, backing.segment().asByteBuffer().asReadOnlyBuffer());
        table.add(block);
        return new Backing(backing.segment(), false, true, () -> {
            table.release(block);
            files.remove(handle); // peers that have it open keep the memory, as that of a file
        });
    }

    @Override
    public Opened open(long process, int handle, int length, long nonceHigh, long nonceLow) throws IOException {
        ByteBuffer file = files.get(handle);
        if (file == null || file.capacity() != length || nonceHigh != handle || nonceLow != length) {
            throw new IOException("no process has a region " + handle + " of " + length + " bytes");
        }
        return new Opened() {
            @Override
            public ByteBuffer bytes() {
                return file;
            }

            @Override
            public void close() {}
        };
    }
}
