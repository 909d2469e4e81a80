package io.verbena.storage.client;

import io.verbena.storage.host.BlockCommand;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The memories of a disk client by their numbers, by which commands name them. Any thread may allocate and free. */
final class DiskMemories {
    private final TargetPath path;
    private final Object lock = new Object();
    private volatile @Nullable DiskMemory[] table = new DiskMemory[16];

    DiskMemories(TargetPath path) {
        this.path = path;
    }

    DiskMemory allocate(long bytes) {
        // A window grants access to its range only; without windows, the key of the region must.
        MemoryRegion region = path.keys() == KeyUse.PER_COMMAND
                ? path.domain().allocate(bytes, AccessRight.LOCAL_WRITE, AccessRight.BIND)
                : path.domain()
                        .allocate(bytes, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE);
        synchronized (lock) {
            @Nullable DiskMemory[] before = table;
            int number = 0;
            while (number < before.length && before[number] != null) {
                number++;
            }
            @Nullable DiskMemory[] copy = Arrays.copyOf(before, number < before.length ? before.length : 2 * number);
            DiskMemory memory = new DiskMemory(this, region, number);
            copy[number] = memory;
            table = copy;
            return memory;
        }
    }

    void forget(DiskMemory memory) {
        synchronized (lock) {
            @Nullable DiskMemory[] copy = table.clone();
            copy[memory.number()] = null;
            table = copy;
        }
    }

    /** The region of a command in flight. */
    MemoryRegion region(BlockCommand command) {
        DiskMemory memory = table[command.request().memory()];
        if (memory == null) {
            throw new IllegalStateException("The memory of a command in flight is closed.");
        }
        return memory.region();
    }

    /** A target that knew the earlier keys has no access any more. */
    void renewKeys() {
        for (@Nullable DiskMemory memory : table) {
            if (memory != null) {
                memory.region().renewKey();
            }
        }
    }

    /** Frees what remains when the client ends. */
    void close() {
        for (@Nullable DiskMemory memory : table) {
            if (memory != null) {
                memory.region().close();
            }
        }
    }
}
