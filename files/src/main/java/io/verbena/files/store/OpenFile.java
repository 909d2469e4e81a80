package io.verbena.files.store;

import io.verbena.files.failure.FileServiceException;
import io.verbena.files.failure.IoReasons;
import io.verbena.files.protocol.FileAttributes;
import io.verbena.files.protocol.FileMessage;
import io.verbena.files.protocol.Sums;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RemoteRegion;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.Optional;

/**
 * A file that one connection has registered. The channel stays open, so that checksums are computed from the mapped file even
 * if another file takes its name.
 *
 * @param question the request that opened it
 * @param length of the region
 * @param holes empty if they cannot be found
 * @param region empty for an empty file
 */
public record OpenFile(
        Export export,
        FileMessage.Open question,
        FileChannel channel,
        Optional<Holes> holes,
        long length,
        Optional<MemoryRegion> region)
        implements AutoCloseable {

    /** The address, length and key for the peer. */
    public RemoteRegion remote() {
        return region.map(MemoryRegion::remote).orElse(new RemoteRegion(0, 0, 0));
    }

    /** The checksum of a range. Reads the file, possibly from a disk, so it must not run in the thread of an engine. */
    public FileMessage.Summed sum(FileMessage.Sum range, Sums sums) throws FileServiceException {
        if (range.length() < 1
                || range.length() > FileMessage.MAX_SUM_BYTES
                || range.offset() > length - range.length()) {
            throw new FileServiceException(
                    "A checksum covers 1 to " + FileMessage.MAX_SUM_BYTES + " bytes within the file, which has "
                            + length + " bytes; the request was for " + Integer.toUnsignedString(range.length())
                            + " bytes from offset " + range.offset());
        }
        try {
            boolean hole = holes.isPresent() && holes.get().covers(range.offset(), range.length());
            if (hole && channel.size() >= length) {
                return sums.ofZeros(range.length());
            }
            return sums.of(channel, range.offset(), range.length());
        } catch (EOFException e) {
            throw new FileServiceException(export.shorter(length, size()), e);
        } catch (IOException e) {
            throw new FileServiceException(
                    "The file '" + export.name() + "' cannot be read at the server: " + IoReasons.of(e), e);
        }
    }

    private long size() {
        try {
            return channel.size();
        } catch (IOException e) {
            return 0;
        }
    }

    /** Commits a store and returns the new attributes of the file. */
    public FileAttributes commit(FileMessage.Commit commit) throws FileServiceException {
        if (!question.writing() || commit.length() != length) {
            throw new FileServiceException(
                    "A store of " + commit.length() + " bytes cannot be committed: the file was opened for "
                            + (question.writing() ? length + " bytes" : "reading"));
        }
        try {
            export.commit(this, commit.toDisk());
        } catch (IOException e) {
            throw new FileServiceException(
                    "The file '" + export.name() + "' cannot be completed at the server: " + IoReasons.of(e), e);
        }
        return export.attributes();
    }

    /** Whether the region was lost while the file was open. */
    public boolean lost() {
        return region.isPresent() && !region.get().valid() && !export.committed(this);
    }

    /** Deregisters the file; its key becomes invalid. */
    @Override
    public void close() {
        close(false);
    }

    /**
     * Deregisters the file.
     *
     * @param brokenOff whether this end terminated the connection: if the client follows the protocol, that means that the
     *     memory of the file could not be accessed
     */
    public void close(boolean brokenOff) {
        boolean lost = lost() || brokenOff && region.isPresent() && !export.committed(this);
        try {
            region.ifPresent(MemoryRegion::close);
        } finally {
            export.closed(this, lost);
            holes.ifPresent(Holes::close);
            closeChannel();
        }
    }

    private void closeChannel() {
        try {
            channel.close();
        } catch (IOException e) {
            return; // the channel was only read, or was forced to disk before
        }
    }
}
