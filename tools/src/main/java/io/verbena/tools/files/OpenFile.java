package io.verbena.tools.files;

import io.verbena.tools.base.Failure;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RemoteRegion;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.Optional;

/**
 * A file that one connection has registered. The channel stays open, so that checksums are of the very file that is mapped,
 * even when another one takes its name.
 *
 * @param question by which it was opened
 * @param length of the region
 * @param holes empty where they cannot be found
 * @param region empty for an empty file
 */
record OpenFile(
        Export export,
        FileMessage.Open question,
        FileChannel channel,
        Optional<Holes> holes,
        long length,
        Optional<MemoryRegion> region)
        implements AutoCloseable {

    /** What the peer needs to reach it. */
    RemoteRegion remote() {
        return region.map(MemoryRegion::remote).orElse(new RemoteRegion(0, 0, 0));
    }

    /** The checksum of a range. Reads the file, perhaps from a disk: never in an engine's thread. */
    FileMessage.Summed sum(FileMessage.Sum range, Sums sums) throws Failure {
        if (range.length() < 1
                || range.length() > FileMessage.MAX_SUM_BYTES
                || range.offset() > length - range.length()) {
            throw new Failure(
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
            throw new Failure(export.shorter(length, size()), e);
        } catch (IOException e) {
            throw new Failure("The file '" + export.name() + "' cannot be read at the server: " + IoReasons.of(e), e);
        }
    }

    private long size() {
        try {
            return channel.size();
        } catch (IOException e) {
            return 0;
        }
    }

    /** Ends a store; answers what the file is then. */
    FileAttributes commit(FileMessage.Commit commit) throws Failure {
        if (!question.writing() || commit.length() != length) {
            throw new Failure("A store of " + commit.length() + " bytes cannot be finished: the file was opened for "
                    + (question.writing() ? length + " bytes" : "reading"));
        }
        try {
            export.commit(this, commit.toDisk());
        } catch (IOException e) {
            throw new Failure(
                    "The file '" + export.name() + "' cannot be finished at the server: " + IoReasons.of(e), e);
        }
        return export.attributes();
    }

    /** Whether the memory went away while it was open. */
    boolean lost() {
        return region.isPresent() && !region.get().valid() && !export.committed(this);
    }

    /** Deregisters: the key opens nothing any more. */
    @Override
    public void close() {
        close(false);
    }

    /**
     * The same, and says whether this end broke off, which with a client that keeps to the protocol means that the file's
     * memory could not be reached.
     */
    void close(boolean brokenOff) {
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
            return; // it was only read, or forced before
        }
    }
}
