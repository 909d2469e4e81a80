package io.verbena.host;

import io.verbena.host.system.Sentences;
import io.verbena.rnic.ib.InfinibandTransport;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * The file in which an RNIC records its connections, see {@link RnicOptions#withConnectionRecord}. It is mapped: what was written is in
 * the file, in whatever way the process ends.
 */
final class ConnectionFile implements AutoCloseable {

    private final FileChannel channel;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;

    private ConnectionFile(FileChannel channel) throws IOException {
        this.channel = channel;
        memory = channel.map(MapMode.READ_WRITE, 0, InfinibandTransport.RECORD_BYTES, arena);
    }

    /** The file that the options name. */
    static Optional<ConnectionFile> of(RnicOptions options) {
        return Optional.ofNullable(options.settings().get(RnicOptions.CONNECTION_RECORD))
                .map(ConnectionFile::open);
    }

    private static ConnectionFile open(String path) {
        try {
            FileChannel channel = FileChannel.open(
                    Path.of(path), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            try {
                return locked(channel, path);
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
        } catch (IOException | InvalidPathException e) {
            throw new VerbsException(
                    "The connection record '" + path + "' cannot be opened: " + Sentences.reason(e)
                            + " Name a file in a directory where this program may write.",
                    e);
        }
    }

    private static ConnectionFile locked(FileChannel channel, String path) throws IOException {
        if (inUse(channel)) {
            throw new VerbsException(
                    "The connection record '" + path + "' belongs to another RNIC. Give each RNIC a file of its own.");
        }
        // A longer or shorter file is not a record, and mapping would extend it.
        boolean fits = channel.size() == 0 || channel.size() == InfinibandTransport.RECORD_BYTES;
        if (fits) {
            ConnectionFile file = new ConnectionFile(channel);
            if (InfinibandTransport.fits(file.memory)) {
                return file;
            }
            file.arena.close();
        }
        throw new VerbsException(
                "The file '" + path
                        + "' is not a connection record, and is left unchanged. Name another file, or one that does not exist.");
    }

    private static boolean inUse(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() == null;
        } catch (OverlappingFileLockException e) {
            return true; // of this process
        }
    }

    /** The contents. */
    MemorySegment memory() {
        return memory;
    }

    /** Closes the file. No engine uses it any more. */
    @Override
    public void close() {
        arena.close();
        try {
            channel.close();
        } catch (IOException e) {
            throw new VerbsException("Closing the connection record failed: " + Sentences.reason(e), e);
        }
    }
}
