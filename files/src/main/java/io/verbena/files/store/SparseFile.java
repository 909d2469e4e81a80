package io.verbena.files.store;

import io.verbena.files.failure.FileServiceException;
import io.verbena.files.failure.IoReasons;
import io.verbena.files.protocol.Sums;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** Writes ranges of a file whose other bytes are zeros, and leaves holes where zeros are written, if asked to. Any thread. */
final class SparseFile {

    private static final int BLOCK_BYTES = 1 << 16;

    private final Path name;
    private final FileChannel channel;
    private final boolean sparse;
    private final boolean fresh;

    /**
     * Writes a file.
     *
     * @param sparse whether to leave holes
     * @param fresh whether every byte is a hole until it is written, once; otherwise a range is read before it is left out
     */
    SparseFile(Path name, FileChannel channel, boolean sparse, boolean fresh) {
        this.name = name;
        this.channel = channel;
        this.sparse = sparse;
        this.fresh = fresh;
    }

    /** Writes a range. If the file is sparse, blocks of zeros become holes. */
    void write(long offset, MemorySegment bytes) throws FileServiceException {
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

    /** Fills a range with zeros, or leaves a hole. */
    void zero(long offset, int length) throws FileServiceException {
        if (sparse && isHole(offset, length)) {
            return;
        }
        try {
            Zeros.append(channel, offset, offset + length, length);
        } catch (IOException e) {
            throw unwritable(e);
        }
    }

    private boolean isHole(long offset, long length) throws FileServiceException {
        if (fresh) {
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

    private void writeAll(long offset, MemorySegment bytes) throws FileServiceException {
        ByteBuffer buffer = bytes.asByteBuffer();
        try {
            while (buffer.hasRemaining()) {
                channel.write(buffer, offset + buffer.position());
            }
        } catch (IOException e) {
            throw unwritable(e);
        }
    }

    private FileServiceException unwritable(IOException e) {
        return new FileServiceException("Cannot write the file '" + name + "': " + IoReasons.of(e), e);
    }
}
