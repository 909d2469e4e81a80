package io.verbena.files.store;

import io.verbena.files.failure.FileServiceException;
import io.verbena.files.failure.IoReasons;
import io.verbena.files.protocol.FileAttributes;
import io.verbena.files.protocol.Sums;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
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
 * The file that a fetch writes: {@code LOCAL.part}, which is renamed to LOCAL when it is complete. {@code LOCAL.part.state}
 * describes it, so that another run can continue. Several threads write, each its own ranges.
 */
public final class PartFile implements AutoCloseable {

    private final Path target;
    private final Path part;
    private final Path stateFile;
    private final FileChannel channel;
    private final FileAttributes source;
    private final int chunkBytes;
    private final SparseFile content;
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
        Optional<PartState> state = channel.size() == source.size()
                ? PartState.load(stateFile).filter(saved -> saved.of(source, chunkBytes))
                : Optional.empty();
        this.resumed = state.isPresent();
        this.before = state.map(PartState::done).orElse(new BitSet());
        this.content = new SparseFile(part, channel, sparse, !resumed);
        if (!resumed) {
            channel.truncate(0);
            Zeros.append(channel, Math.max(0, source.size() - 1), source.size(), 1); // the bytes before are a hole
        }
    }

    private static Path part(Path target) {
        return target.resolveSibling(target.getFileName() + ".part");
    }

    private static Path state(Path target) {
        return target.resolveSibling(target.getFileName() + ".part.state");
    }

    /**
     * Creates the file, or continues with what an earlier run left of the same source.
     *
     * @throws FileServiceException if it cannot be written
     */
    public static PartFile open(Path target, FileAttributes source, int chunkBytes, boolean sparse)
            throws FileServiceException {
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
                    throw new FileServiceException(
                            "Another 'verbena cp' is writing '" + part + "'; wait for it or choose another target");
                }
                return new PartFile(target, channel, source, chunkBytes, sparse);
            } catch (IOException | FileServiceException | RuntimeException | Error e) {
                channel.close();
                throw e;
            }
        } catch (IOException e) {
            throw new FileServiceException("Cannot write the file '" + part + "': " + IoReasons.of(e), e);
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

    public Path file() {
        return part;
    }

    /** Whether the fetch continues an earlier run. */
    public boolean resumed() {
        return resumed;
    }

    /** Whether an earlier run recorded this chunk as done. Its bytes are not verified yet. */
    public boolean had(int chunk) {
        synchronized (before) {
            return before.get(chunk);
        }
    }

    /** The checksum of a range; empty if the file ends before. */
    public Optional<Integer> sum(long offset, int length, Sums sums) throws IOException {
        try {
            return Optional.of(sums.of(channel, offset, length).crc32c());
        } catch (EOFException e) {
            return Optional.empty();
        }
    }

    /** Writes a range. If the file is sparse, blocks of zeros become holes. */
    public void write(long offset, MemorySegment bytes) throws FileServiceException {
        content.write(offset, bytes);
    }

    /** Fills a range with zeros, or leaves a hole. */
    public void zero(long offset, int length) throws FileServiceException {
        content.zero(offset, length);
    }

    /** Notes that a chunk of an earlier run has the wrong bytes. */
    public void wrong(int chunk) {
        synchronized (before) {
            before.clear(chunk);
        }
    }

    /** Saves the finished chunks after another failure, and ignores a failure to do so. */
    public void saveIfPossible(BitSet done) {
        try {
            save(done);
        } catch (FileServiceException e) {
            return; // the first failure is the one to report
        }
    }

    /** Saves the finished chunks, for another run. */
    public void save(BitSet done) throws FileServiceException {
        BitSet there = (BitSet) done.clone();
        synchronized (before) {
            there.or(before);
        }
        try {
            new PartState(source, chunkBytes, there).save(stateFile);
        } catch (IOException e) {
            throw new FileServiceException("Cannot write the file '" + stateFile + "': " + IoReasons.of(e), e);
        }
    }

    /** Renames the complete file to LOCAL, replacing a file of that name. */
    public void finish(boolean toDisk) throws FileServiceException {
        try {
            if (toDisk) {
                channel.force(true);
            }
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            Files.deleteIfExists(stateFile);
        } catch (IOException e) {
            throw new FileServiceException(
                    "'" + part + "' is complete but cannot be renamed to '" + target + "': " + IoReasons.of(e), e);
        }
    }

    /** Closes the file and keeps it. */
    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            return; // all bytes have been written before
        }
    }
}
