package io.verbena.host;

import io.verbena.base.RandomSource;
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
import java.nio.ByteOrder;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory of larger regions as files without a name whose size is sealed, so that a peer of the same user can map it for reading.
 * Regions are ordinary memory if they are small, if they would exceed the bounds, or if the system has no such files.
 */
final class SharedRegions implements MemoryProvider, SharedBlocks {

    /** Regions of fewer bytes are not shared. */
    static final int LEAST_BYTES = 64 * 1024;

    /** Each needs a file descriptor. */
    private static final int MOST_BLOCKS = 256;

    private static final Path PROCESSES = Path.of("/proc");
    private static final Path OWN_DESCRIPTORS = Path.of("/proc/self/fd");
    private static final String NAME = "verbena-region";
    private static final String ANONYMOUS = "/memfd:" + NAME;
    private static final int CHUNK_BYTES = 1 << 20;

    private final BlockTable table = new BlockTable();
    private final MemoryProvider plain = new OffHeapMemory();
    private final RandomSource random;
    private final boolean shares;
    private final AtomicLong used = new AtomicLong();
    private final long mostBytes = Runtime.getRuntime().maxMemory();

    /**
     * Without regions at first.
     *
     * @param shares whether regions are shared at all
     */
    SharedRegions(RandomSource random, boolean shares) {
        this.random = random;
        this.shares = shares && Machine.obstacleToLinux().isEmpty();
    }

    @Override
    public BlockTable table() {
        return table;
    }

    // Regions of this process.

    @Override
    public Backing allocate(long bytes) {
        if (!shares || bytes < LEAST_BYTES || bytes > SharedBlock.MOST_BYTES || table.size() >= MOST_BLOCKS) {
            return plain.allocate(bytes);
        }
        int fileBytes = SharedBlock.fileBytes((int) bytes);
        if (used.addAndGet(fileBytes) > mostBytes) {
            used.addAndGet(-fileBytes);
            return plain.allocate(bytes);
        }
        boolean interrupted = false;
        try {
            while (true) {
                interrupted |= Thread.interrupted();
                try {
                    return shared((int) bytes, fileBytes);
                } catch (ClosedByInterruptException e) {
                    interrupted = true; // in between: once more
                }
            }
        } catch (IOException e) {
            used.addAndGet(-fileBytes);
            return plain.allocate(bytes);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private Backing shared(int bytes, int fileBytes) throws IOException {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment state = Linux.newState(call);
            int fd = Linux.memoryFile(state, call.allocateFrom(NAME));
            if (fd < 0) {
                throw LinuxSockets.exception(-fd, "memfd_create");
            }
            boolean done = false;
            try (FileChannel file = FileChannel.open(
                    OWN_DESCRIPTORS.resolve(Integer.toString(fd)), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                fill(file, fileBytes);
                int outcome = Linux.sealSize(state, fd);
                if (outcome < 0) {
                    throw LinuxSockets.exception(-outcome, "fcntl");
                }
                Backing made = map(file, fd, bytes, fileBytes);
                done = true;
                return made;
            } finally {
                if (!done) {
                    Linux.close(state, fd);
                }
            }
        }
    }

    /** Writes every page: memory that the system does not have is missed here, and not when it is used. */
    private static void fill(FileChannel file, int bytes) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocateDirect(Math.min(CHUNK_BYTES, bytes));
        for (int at = 0; at < bytes; at += zeros.position()) {
            file.write(zeros.clear().limit(Math.min(zeros.capacity(), bytes - at)), at);
        }
    }

    private Backing map(FileChannel file, int fd, int bytes, int fileBytes) throws IOException {
        Arena arena = Arena.ofShared();
        boolean done = false;
        try {
            MemorySegment memory = file.map(MapMode.READ_WRITE, 0, fileBytes, arena);
            long high = random.nextLong();
            long low = random.nextLong();
            int nonceAt = SharedBlock.nonceAt(bytes);
            ByteBuffer last = memory.asSlice(nonceAt).asByteBuffer().order(ByteOrder.nativeOrder());
            last.putLong(0, high).putLong(Long.BYTES, low);
            SharedBlock block = new SharedBlock(
                    memory.address(), bytes, ProcessHandle.current().pid(), fd, high, low);
            table.add(block);
            done = true;
            return new Backing(memory.asSlice(0, bytes), false, true, () -> release(block, arena, fd, fileBytes));
        } finally {
            if (!done) {
                arena.close();
            }
        }
    }

    /** The memory remains as long as a peer has it open, and does not change any more. */
    private void release(SharedBlock block, Arena arena, int fd, int fileBytes) {
        table.release(block);
        used.addAndGet(-fileBytes);
        try (Arena call = Arena.ofConfined()) {
            Linux.close(Linux.newState(call), fd);
        }
        arena.close();
    }

    // Regions of peers.

    @Override
    public Opened open(long process, int handle, int length, long nonceHigh, long nonceLow) throws IOException {
        if (process <= 0 || handle < 0 || !Machine.obstacleToLinux().isEmpty()) {
            throw new IOException("the peer names no process, or this one cannot check its memory");
        }
        Path folder = PROCESSES.resolve(Long.toString(process));
        Path link = folder.resolve("fd").resolve(Integer.toString(handle));
        try {
            if (!HostSharedMemory.owner(folder).equals(HostSharedMemory.owner(PROCESSES.resolve("self")))) {
                throw new IOException("it belongs to another user");
            }
            if (!Files.readSymbolicLink(link).toString().startsWith(ANONYMOUS)) {
                throw new IOException("it is not the memory of a region");
            }
            return openSealed(link, length, nonceHigh, nonceLow);
        } catch (RuntimeException e) {
            throw new IOException("the memory of process " + process + " cannot be opened", e);
        }
    }

    /** Through a descriptor of this process, so that what is checked is what is mapped. */
    private static Opened openSealed(Path link, int length, long nonceHigh, long nonceLow) throws IOException {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment state = Linux.newState(call);
            int fd = Linux.open(state, call.allocateFrom(link.toString()));
            if (fd < 0) {
                throw LinuxSockets.exception(-fd, "openat");
            }
            try {
                if (!Linux.keepsItsSize(state, fd)) {
                    throw new IOException("its size is not sealed");
                }
                return mapPeers(OWN_DESCRIPTORS.resolve(Integer.toString(fd)), length, nonceHigh, nonceLow);
            } finally {
                Linux.close(state, fd);
            }
        }
    }

    private static Opened mapPeers(Path path, int length, long nonceHigh, long nonceLow) throws IOException {
        int fileBytes = SharedBlock.fileBytes(length);
        int nonceAt = SharedBlock.nonceAt(length);
        Arena arena = Arena.ofShared();
        boolean done = false;
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
            if (file.size() != fileBytes) {
                throw new IOException("it has " + file.size() + " bytes and not " + fileBytes);
            }
            MemorySegment memory = file.map(MapMode.READ_ONLY, 0, fileBytes, arena);
            ByteBuffer last = memory.asSlice(nonceAt).asByteBuffer().order(ByteOrder.nativeOrder());
            if (last.getLong(0) != nonceHigh || last.getLong(Long.BYTES) != nonceLow) {
                throw new IOException("it is not the memory that the peer names");
            }
            Opened made = new Mapping(arena, memory.asSlice(0, length).asByteBuffer());
            done = true;
            return made;
        } finally {
            if (!done) {
                arena.close();
            }
        }
    }

    private static final class Mapping implements Opened {
        private final Arena arena;
        private final ByteBuffer memory;
        private boolean closed;

        Mapping(Arena arena, ByteBuffer memory) {
            this.arena = arena;
            this.memory = memory;
        }

        @Override
        public ByteBuffer bytes() {
            return memory;
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                arena.close();
            }
        }
    }
}
