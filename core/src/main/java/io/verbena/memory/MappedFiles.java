package io.verbena.memory;

import io.verbena.base.HugeMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/** Files as memory. */
public final class MappedFiles {

    private MappedFiles() {}

    /**
     * Maps a part of a file. The file may be closed, renamed or deleted afterwards. If it is truncated, the region is
     * lost at the next access beyond the new end.
     *
     * @param offset first byte, 0 or more
     * @param bytes 1 or more; sizes above 2 GiB are supported
     * @param writable whether the mapping is writable; the file is then created if it does not exist and extended if it
     *     is shorter (sparse, if the file system supports it)
     * @throws IOException if the file cannot be opened, is too short or cannot be mapped; the message states the reason
     */
    public static Backing map(Path file, long offset, long bytes, boolean writable) throws IOException {
        if (offset < 0 || bytes < 1 || offset > Long.MAX_VALUE - bytes) {
            throw new IllegalArgumentException("cannot map " + bytes + " bytes from offset " + offset);
        }
        try (FileChannel channel = open(file, writable)) {
            long size = channel.size();
            if (!writable && size < offset + bytes) {
                throw new IOException(file + " has " + size + " bytes; " + (offset + bytes) + " are needed to map "
                        + bytes + " from offset " + offset + " for reading");
            }
            return mapped(channel, file, offset, bytes, writable);
        }
    }

    private static FileChannel open(Path file, boolean writable) throws IOException {
        Set<StandardOpenOption> options = writable
                ? Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE)
                : Set.of(StandardOpenOption.READ);
        try {
            return FileChannel.open(file, options);
        } catch (NoSuchFileException e) {
            throw new IOException("the file does not exist: " + file, e);
        } catch (IOException e) {
            throw new IOException(
                    "cannot open " + file + (writable ? " for writing: " : " for reading: ") + e.getMessage(), e);
        }
    }

    private static Backing mapped(FileChannel channel, Path file, long offset, long bytes, boolean writable)
            throws IOException {
        Arena arena = Arena.ofShared();
        try {
            MapMode mode = writable ? MapMode.READ_WRITE : MapMode.READ_ONLY;
            MemorySegment memory = channel.map(mode, offset, bytes, arena);
            HugeMemory.ofThisProcess().advise(memory);
            return Backing.mapped(memory, arena);
        } catch (IOException e) {
            arena.close();
            throw new IOException("cannot map " + bytes + " bytes of " + file + ": " + e.getMessage(), e);
        } catch (Throwable e) {
            arena.close();
            throw e;
        }
    }
}
