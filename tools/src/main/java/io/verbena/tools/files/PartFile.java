package io.verbena.tools.files;

import io.verbena.tools.base.Failure;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.BitSet;
import java.util.Optional;

/**
 * A file on its way: {@code LOCAL.part}, which takes the place of LOCAL when everything is there. {@code LOCAL.part.state}
 * tells what it is, so that another run can go on. Several threads write, each its own ranges.
 */
final class PartFile implements AutoCloseable {

    private static final int BLOCK_BYTES = 1 << 16;

    private final Path target;
    private final Path part;
    private final Path stateFile;
    private final FileChannel channel;
    private final FileAttributes source;
    private final int chunkBytes;
    private final boolean sparse;
    private final BitSet before;
    private final boolean resumed;

    private PartFile(Path target, FileChannel channel, FileAttributes source, int chunkBytes, boolean sparse)
            throws IOException {
        this.target = target;
        this.part = part(target);
        this.stateFile = state(target);
        this.channel = channel;
        this.source = source;
        this.chunkBytes = chunkBytes;
        this.sparse = sparse;
        Optional<PartState> state = channel.size() == source.size()
                ? PartState.load(stateFile).filter(saved -> saved.of(source, chunkBytes))
                : Optional.empty();
        this.resumed = state.isPresent();
        this.before = state.map(PartState::done).orElse(new BitSet());
        if (!resumed) {
            channel.truncate(0);
            Zeros.append(channel, Math.max(0, source.size() - 1), source.size(), 1); // the rest is a hole
        }
    }

    private static Path part(Path target) {
        return target.resolveSibling(target.getFileName() + ".part");
    }

    private static Path state(Path target) {
        return target.resolveSibling(target.getFileName() + ".part.state");
    }

    /**
     * Makes it, or goes on with what an earlier run left of the same source.
     *
     * @throws Failure when it cannot be written, with a sentence
     */
    static PartFile open(Path target, FileAttributes source, int chunkBytes, boolean sparse) throws Failure {
        Path part = part(target);
        try {
            FileChannel channel = FileChannel.open(
                    part,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.CREATE,
                    LinkOption.NOFOLLOW_LINKS);
            try {
                if (!locked(channel)) {
                    throw new Failure("Another 'verbena cp' writes '" + part + "' right now");
                }
                return new PartFile(target, channel, source, chunkBytes, sparse);
            } catch (IOException | Failure | RuntimeException | Error e) {
                channel.close();
                throw e;
            }
        } catch (IOException e) {
            throw new Failure("The file '" + part + "' cannot be written: " + IoReasons.of(e), e);
        }
    }

    private static boolean locked(FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    /** Whether an earlier run left something to go on with. */
    boolean resumed() {
        return resumed;
    }

    /** Whether an earlier run noted this chunk as done; that its bytes are right is yet to be seen. */
    boolean had(int chunk) {
        synchronized (before) {
            return before.get(chunk);
        }
    }

    /** The checksum of what is there; empty when it cannot be read. */
    Optional<Integer> sum(long offset, int length, Sums sums) throws IOException {
        try {
            return Optional.of(sums.of(channel, offset, length).crc32c());
        } catch (EOFException e) {
            return Optional.empty();
        }
    }

    /** Writes a range, and leaves out what is zero if that was wished for. */
    void write(long offset, MemorySegment bytes) throws Failure {
        long length = bytes.byteSize();
        long from = 0;
        for (long at = 0; sparse && at < length; at += BLOCK_BYTES) {
            long block = Math.min(BLOCK_BYTES, length - at);
            if (Sums.zero(bytes, at, block) && isHole(offset + at, block)) {
                writeAll(offset + from, bytes.asSlice(from, at - from));
                from = at + block;
            }
        }
        writeAll(offset + from, bytes.asSlice(from, length - from));
    }

    /** Makes a range zero. */
    void zero(long offset, int length) throws Failure {
        if (sparse && isHole(offset, length)) {
            return;
        }
        try {
            Zeros.append(channel, offset, offset + length, chunkBytes);
        } catch (IOException e) {
            throw unwritable(e);
        }
    }

    /** In a fresh file everything is a hole until it is written, once. What an earlier run wrote has to be looked at. */
    private boolean isHole(long offset, long length) throws Failure {
        if (!resumed) {
            return true;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment found = arena.allocate(length);
            Sums.readFully(channel, offset, found.asByteBuffer());
            return Sums.zero(found, 0, length);
        } catch (IOException e) {
            throw unwritable(e);
        }
    }

    private void writeAll(long offset, MemorySegment bytes) throws Failure {
        ByteBuffer buffer = bytes.asByteBuffer();
        try {
            while (buffer.hasRemaining()) {
                channel.write(buffer, offset + buffer.position());
            }
        } catch (IOException e) {
            throw unwritable(e);
        }
    }

    private Failure unwritable(IOException e) {
        return new Failure("The file '" + part + "' cannot be written: " + IoReasons.of(e), e);
    }

    /** What an earlier run noted as done is wrong. */
    void wrong(int chunk) {
        synchronized (before) {
            before.clear(chunk);
        }
    }

    /** Notes what is there if it can, when something else has failed already. */
    void saveIfPossible(BitSet done) {
        try {
            save(done);
        } catch (Failure e) {
            return; // the other failure is the one to tell
        }
    }

    /** Notes what is there, for another run. */
    void save(BitSet done) throws Failure {
        BitSet there = (BitSet) done.clone();
        synchronized (before) {
            there.or(before);
        }
        try {
            new PartState(source, chunkBytes, there).save(stateFile);
        } catch (IOException e) {
            throw new Failure("The file '" + stateFile + "' cannot be written: " + IoReasons.of(e), e);
        }
    }

    /** Everything is there: it becomes LOCAL, in place of what had this name. */
    void finish(boolean toDisk) throws Failure {
        try {
            if (toDisk) {
                channel.force(true);
            }
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            Files.deleteIfExists(stateFile);
        } catch (IOException e) {
            throw new Failure("'" + part + "' is complete but cannot become '" + target + "': " + IoReasons.of(e), e);
        }
    }

    /** Leaves it as it is. */
    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            return; // what was written is written
        }
    }
}
