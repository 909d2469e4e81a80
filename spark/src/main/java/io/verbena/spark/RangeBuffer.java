package io.verbena.spark;

import io.verbena.verbs.MemoryRegion;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.network.buffer.ManagedBuffer;

/** A block in registered memory, which is given back when no block of it is in use any more. */
final class RangeBuffer extends ManagedBuffer {

    private final ByteBuffer bytes;
    private final Runnable onUnused;
    private final AtomicInteger references = new AtomicInteger(1);

    private RangeBuffer(ByteBuffer bytes, Runnable onUnused) {
        this.bytes = bytes;
        this.onUnused = onUnused;
    }

    /** The blocks that are in a region one after the other; the pool gets the region back when all are released. */
    static List<RangeBuffer> of(MemoryRegion region, long[] lengths, RegionPool pool) {
        AtomicInteger left = new AtomicInteger(lengths.length);
        Runnable onUnused = () -> {
            if (left.decrementAndGet() == 0) {
                pool.give(region);
            }
        };
        List<RangeBuffer> blocks = new ArrayList<>();
        long position = 0;
        for (long length : lengths) {
            blocks.add(new RangeBuffer(
                    region.segment().asSlice(position, length).asByteBuffer().asReadOnlyBuffer(), onUnused));
            position += length;
        }
        return blocks;
    }

    /** Blocks without bytes. */
    static List<RangeBuffer> empty(int count) {
        List<RangeBuffer> blocks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            blocks.add(new RangeBuffer(ByteBuffer.allocate(0), () -> {}));
        }
        return blocks;
    }

    @Override
    public long size() {
        return bytes.remaining();
    }

    @Override
    public ByteBuffer nioByteBuffer() {
        return bytes.duplicate();
    }

    @Override
    public InputStream createInputStream() {
        return new ByteBufferStream(bytes.duplicate());
    }

    @Override
    public ManagedBuffer retain() {
        references.incrementAndGet();
        return this;
    }

    @Override
    public ManagedBuffer release() {
        int left = references.decrementAndGet();
        if (left == 0) {
            onUnused.run();
        } else if (left < 0) {
            throw new IllegalStateException("a block was released more often than it was retained");
        }
        return this;
    }

    @Override
    public Object convertToNetty() {
        throw new UnsupportedOperationException("a block that was read by RDMA is not sent on");
    }

    @Override
    public Object convertToNettyForSsl() {
        return convertToNetty();
    }

    /** Reads a buffer. */
    private static final class ByteBufferStream extends InputStream {

        private final ByteBuffer left;

        private ByteBufferStream(ByteBuffer left) {
            this.left = left;
        }

        @Override
        public int read() {
            return left.hasRemaining() ? left.get() & 0xff : -1;
        }

        @Override
        public int read(byte[] to, int offset, int length) {
            if (length == 0) {
                return 0;
            }
            int count = Math.min(length, left.remaining());
            if (count == 0) {
                return -1;
            }
            left.get(to, offset, count);
            return count;
        }

        @Override
        public long skip(long count) {
            int skipped = (int) Math.max(0, Math.min(count, left.remaining()));
            left.position(left.position() + skipped);
            return skipped;
        }

        @Override
        public int available() {
            return left.remaining();
        }
    }
}
