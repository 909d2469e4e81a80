package io.verbena.storage.client;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;

/** A disk as a sequence of bytes. */
final class DiskChannel implements SeekableByteChannel {
    /** A read or a write moves at most that much at once. */
    private static final int BUFFER_BYTES = 1 << 20;

    private final Disk disk;
    private final ReentrantLock lock = new ReentrantLock();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    /** Reused, unless a wait ended while the client still uses it. */
    private MemorySegment buffer = MemorySegment.NULL;

    private long position;

    DiskChannel(Disk disk) {
        this.disk = disk;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        lock();
        try {
            long left = size() - position;
            if (left <= 0) {
                return into.hasRemaining() ? -1 : 0;
            }
            int count = (int) Math.min(Math.min(left, into.remaining()), BUFFER_BYTES - disk.blockBytes());
            if (count == 0) {
                return 0;
            }
            Extent extent = extent(count);
            await(disk.read(extent.firstBlock(), extent.blocks()));
            MemorySegment.copy(extent.blocks(), extent.skippedBytes(), MemorySegment.ofBuffer(into), 0, count);
            into.position(into.position() + count);
            position += count;
            return count;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        if (disk.readOnly()) {
            throw new NonWritableChannelException();
        }
        lock();
        try {
            int total = from.remaining();
            if (total > size() - position) {
                throw new IOException(total + " bytes at " + position + " are past the end of a disk of " + size()
                        + " bytes, which does not grow.");
            }
            while (from.hasRemaining()) {
                int count = Math.min(from.remaining(), BUFFER_BYTES - disk.blockBytes());
                writePart(from, count);
                from.position(from.position() + count);
                position += count;
            }
            return total;
        } finally {
            lock.unlock();
        }
    }

    private void writePart(ByteBuffer from, int count) throws IOException {
        Extent extent = extent(count);
        boolean whole = extent.blocks().byteSize() == count;
        if (!whole) {
            lock(disk.partialBlocks());
        }
        try {
            if (!whole) {
                readEdges(extent, count);
            }
            MemorySegment.copy(MemorySegment.ofBuffer(from), 0, extent.blocks(), extent.skippedBytes(), count);
            await(disk.write(extent.firstBlock(), extent.blocks()));
        } finally {
            if (!whole) {
                disk.partialBlocks().unlock();
            }
        }
    }

    /** Reads the first and the last block, of which a part remains as it is. */
    private void readEdges(Extent extent, int count) throws IOException {
        int blockBytes = disk.blockBytes();
        long bytes = extent.blocks().byteSize();
        long lastBlock = bytes / blockBytes - 1;
        boolean first = extent.skippedBytes() > 0;
        boolean last = extent.skippedBytes() + count < bytes && (lastBlock > 0 || !first);
        if (first) {
            await(disk.read(extent.firstBlock(), extent.blocks().asSlice(0, blockBytes)));
        }
        if (last) {
            await(disk.read(
                    extent.firstBlock() + lastBlock, extent.blocks().asSlice(lastBlock * blockBytes, blockBytes)));
        }
    }

    /**
     * The blocks of bytes.
     *
     * @param firstBlock the first block
     * @param skippedBytes bytes of it before the position
     * @param blocks memory for all blocks
     */
    private record Extent(long firstBlock, long skippedBytes, MemorySegment blocks) {}

    private Extent extent(int count) {
        int blockBytes = disk.blockBytes();
        long firstBlock = position / blockBytes;
        long endBlock = (position + count + blockBytes - 1) / blockBytes;
        if (buffer.byteSize() == 0) {
            buffer = Arena.ofAuto().allocate(BUFFER_BYTES);
        }
        return new Extent(firstBlock, position % blockBytes, buffer.asSlice(0, (endBlock - firstBlock) * blockBytes));
    }

    // ---- Waits

    private void lock() throws IOException {
        lock(lock);
        if (!isOpen()) {
            lock.unlock();
            throw new ClosedChannelException();
        }
    }

    private void lock(ReentrantLock which) throws IOException {
        try {
            which.lockInterruptibly();
        } catch (InterruptedException _) {
            throw interrupted();
        }
    }

    private IOException interrupted() {
        close();
        Thread.currentThread().interrupt();
        return new ClosedByInterruptException();
    }

    private void await(CompletableFuture<Void> operation) throws IOException {
        try {
            CompletableFuture.anyOf(operation, closed).get();
        } catch (InterruptedException _) {
            buffer = MemorySegment.NULL; // the client still uses it
            throw interrupted();
        } catch (ExecutionException e) {
            if (operation.isDone() && e.getCause() instanceof DiskException failure) {
                throw failure;
            }
            if (operation.isDone()) {
                throw new IOException("An operation of a disk failed: " + e.getCause(), e.getCause());
            }
            buffer = MemorySegment.NULL;
            throw new AsynchronousCloseException();
        }
    }

    // ---- Position

    @Override
    public long position() throws IOException {
        lock();
        try {
            return position;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public SeekableByteChannel position(long newPosition) throws IOException {
        if (newPosition < 0) {
            throw new IllegalArgumentException("A position is not negative: " + newPosition);
        }
        lock();
        try {
            position = newPosition;
            return this;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long size() throws IOException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
        return disk.bytes();
    }

    /** A disk has a fixed size: nothing happens if {@code size} is not smaller than it. */
    @Override
    public SeekableByteChannel truncate(long size) throws IOException {
        if (size < size()) {
            throw new IOException("A disk of " + size() + " bytes cannot be truncated to " + size + ".");
        }
        return this;
    }

    @Override
    public boolean isOpen() {
        return !closed.isDone();
    }

    /** Ends waits of other threads. The disk remains open, and what was written may need a {@link Disk#flush}. */
    @Override
    public void close() {
        closed.completeExceptionally(new ClosedChannelException());
    }
}
