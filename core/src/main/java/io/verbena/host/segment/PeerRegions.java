package io.verbena.host.segment;

import io.verbena.host.system.FileMapping;
import io.verbena.host.system.Linux;
import io.verbena.host.system.LinuxSockets;
import io.verbena.host.system.Machine;
import io.verbena.host.system.Unmapping;
import io.verbena.shm.SharedBlock;
import io.verbena.shm.SharedBlocks.Opened;
import io.verbena.shm.SharedBlocks.Shared;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Maps regions of other processes of this user for reading, or for direct access, see {@link SharedRegions}. Everything that a peer
 * names is checked.
 */
final class PeerRegions {

    private static final Path PROCESSES = Path.of("/proc");
    private static final String ANONYMOUS = "/memfd:" + SharedRegions.NAME;

    private final int length;
    private final boolean writable;

    private PeerRegions(int length, boolean writable) {
        this.length = length;
        this.writable = writable;
    }

    /**
     * Maps a region of a process.
     *
     * @throws IOException with a sentence, if it is not the region that the peer names, or its size is not final
     */
    static Opened open(long process, int handle, int length, long nonceHigh, long nonceLow) throws IOException {
        return new PeerRegions(length, false).map(process, handle, nonceHigh, nonceLow);
    }

    /** Maps a region and the page after it for writing, too. */
    static Shared openShared(long process, int handle, int length, long nonceHigh, long nonceLow) throws IOException {
        return new PeerRegions(length, true).map(process, handle, nonceHigh, nonceLow);
    }

    private Mapping map(long process, int handle, long nonceHigh, long nonceLow) throws IOException {
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
            return openSealed(link, nonceHigh, nonceLow);
        } catch (RuntimeException e) {
            throw new IOException("the memory of process " + process + " cannot be opened", e);
        }
    }

    /** Through a descriptor of this process, so that what is checked is what is mapped. */
    private Mapping openSealed(Path link, long nonceHigh, long nonceLow) throws IOException {
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
                if (Linux.size(state, fd) != SharedBlock.fileBytes(length)) {
                    throw new IOException(
                            "it has " + Linux.size(state, fd) + " bytes and not " + SharedBlock.fileBytes(length));
                }
                return map(fd, nonceHigh, nonceLow);
            } finally {
                Linux.close(state, fd);
            }
        }
    }

    private Mapping map(int fd, long nonceHigh, long nonceLow) throws IOException {
        Arena arena = Arena.ofShared();
        boolean done = false;
        try {
            MemorySegment memory = FileMapping.mapLazily(fd, SharedBlock.fileBytes(length), writable, arena);
            MemorySegment last = memory.asSlice(SharedBlock.nonceAt(length));
            if (last.get(ValueLayout.JAVA_LONG, 0) != nonceHigh
                    || last.get(ValueLayout.JAVA_LONG, Long.BYTES) != nonceLow) {
                throw new IOException("it is not the memory that the peer names");
            }
            Mapping mapping = new Mapping(arena, memory, length);
            done = true;
            return mapping;
        } finally {
            if (!done) {
                arena.close();
            }
        }
    }

    private static final class Mapping implements Opened, Shared {
        private final Arena arena;
        private final MemorySegment region;
        private final MemorySegment page;
        private final ByteBuffer bytes;
        private boolean closed;

        Mapping(Arena arena, MemorySegment memory, int length) {
            this.arena = arena;
            region = memory.asSlice(0, length);
            page = memory.asSlice(SharedBlock.nonceAt(length));
            bytes = region.asByteBuffer();
        }

        @Override
        public ByteBuffer bytes() {
            return bytes;
        }

        @Override
        public MemorySegment region() {
            return region;
        }

        @Override
        public MemorySegment page() {
            return page;
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                Unmapping.unmap(arena, region.byteSize());
            }
        }
    }
}
