package io.verbena.storage.device;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * The open file of a disk. It is locked, so that two servers do not write to one file. A disk that grows has two mappings of the file
 * for a while; the last of them that is closed closes the file.
 */
final class DiskFile {
    private final Path path;
    private final FileChannel channel;
    private int users = 1;

    private DiskFile(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    static DiskFile open(Path file, boolean readOnly) throws IOException {
        FileChannel channel = readOnly
                ? FileChannel.open(file, StandardOpenOption.READ)
                : FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        if (!locked(channel, readOnly)) {
            channel.close();
            throw new FileSystemException(
                    file.toString(), null, "another server has it as a disk; stop that server or serve another file");
        }
        return new DiskFile(file, channel);
    }

    /** Several servers may read a file that none of them writes. */
    private static boolean locked(FileChannel channel, boolean shared) throws IOException {
        try {
            @Nullable FileLock lock = channel.tryLock(0, Long.MAX_VALUE, shared);
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false; // this process has it
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    Path path() {
        return path;
    }

    FileChannel channel() {
        return channel;
    }

    synchronized DiskFile share() {
        users++;
        return this;
    }

    synchronized void close() throws IOException {
        users--;
        if (users == 0) {
            channel.close();
        }
    }
}
