package io.verbena.sockets.nio;

import io.verbena.verbs.ByteSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;

/** A part of a file, from a position on. */
final class FilePart implements ByteSource, WritableByteChannel {

    private final FileChannel file;
    private long position;
    private long left;
    private boolean failed;

    FilePart(FileChannel file, long position) {
        this.file = file;
        this.position = position;
    }

    /** As {@link FileChannel#transferTo}, by the JDK. */
    long transferTo(WritableByteChannel target, long count) throws IOException {
        return file.transferTo(position, count, target);
    }

    /** At most this many bytes are written to it. */
    void limit(long bytes) {
        left = bytes;
    }

    /**
     * Whether the file could not be read in this way, such as one that is opened without the cache of the system.
     */
    boolean failed() {
        return failed;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        try {
            int bytes = file.read(target, position);
            position += Math.max(0, bytes);
            return bytes;
        } catch (ClosedChannelException e) {
            throw e;
        } catch (IOException _) {
            failed = true;
            return -1;
        }
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        source.limit(source.position() + (int) Math.min(source.remaining(), left));
        int bytes = file.write(source, position);
        position += bytes;
        return bytes;
    }

    @Override
    public boolean isOpen() {
        return file.isOpen();
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException("The file belongs to the program.");
    }
}
